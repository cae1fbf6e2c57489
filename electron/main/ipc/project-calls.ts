import { dialog } from 'electron'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { dropDraft, keepDraft, listDrafts } from '../../engine/project/drafts'
import { setInput, setToolchain } from '../../engine/project/edit-manifest'
import {
  createProjectFile,
  readExternalFile,
  readProjectFile,
  writeProjectFile,
} from '../../engine/project/files'
import { manifestJsonSchema } from '../../engine/project/manifest-schema'
import { copySample, listSamples } from '../../engine/project/samples'
import type { AppSession } from '../app-session'
import { nothing } from './handle'
import type { Handlers } from './handle'

type ProjectCalls =
  | 'project.open'
  | 'project.choose'
  | 'project.close'
  | 'project.samples'
  | 'project.copySample'
  | 'project.setInput'
  | 'project.setToolchain'
  | 'project.manifestSchema'
  | 'file.read'
  | 'file.write'
  | 'file.create'
  | 'file.readExternal'
  | 'draft.keep'
  | 'draft.drop'
  | 'draft.list'

/** Refuses calls about a folder that is not the open project. */
export async function inOpen<T>(
  session: AppSession,
  folder: string,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  if (!session.isOpen(folder)) {
    return err('request.invalid', `${folder} is not the open project.`, { path: 'folder' })
  }
  return await work()
}

export const projectCalls: Handlers<ProjectCalls> = {
  'project.open': (session, { folder }) => session.open(folder),
  'project.choose': async (session) => {
    const options = { title: 'Open an operator project', properties: ['openDirectory' as const] }
    const chosen = session.window
      ? await dialog.showOpenDialog(session.window, options)
      : await dialog.showOpenDialog(options)
    const [folder] = chosen.filePaths
    return ok(chosen.canceled || folder === undefined ? null : { folder })
  },
  'project.close': async (session) => {
    await session.closeProject()
    return nothing
  },
  'project.samples': async (session) => ok(await listSamples(session.installation)),
  'project.copySample': (session, { name, parent }) =>
    copySample(session.installation, name, parent),
  'project.setInput': (session, { folder, name, spec }) =>
    inOpen(session, folder, async () => {
      const done = await setInput(folder, name, spec)
      return done.ok ? nothing : done
    }),
  'project.setToolchain': (session, { folder, compiler, libtorch }) =>
    inOpen(session, folder, async () => {
      const done = await setToolchain(folder, { compiler, libtorch })
      return done.ok ? nothing : done
    }),
  'project.manifestSchema': () => ok(JSON.stringify(manifestJsonSchema())),
  'file.read': (session, { folder, path }) =>
    inOpen(session, folder, () => readProjectFile(folder, path)),
  'file.write': (session, { folder, path, text, baseVersion }) =>
    inOpen(session, folder, () => writeProjectFile(folder, path, text, baseVersion)),
  'file.create': (session, { folder, path }) =>
    inOpen(session, folder, () => createProjectFile(folder, path)),
  'file.readExternal': async (session, { path }) =>
    session.wasNamed(path)
      ? await readExternalFile(path)
      : err('request.invalid', `${path} is outside the project, and no message named it.`, {
          path: 'path',
        }),
  'draft.keep': (session, { folder, draft }) =>
    inOpen(session, folder, async () => {
      await keepDraft(session.installation.cacheFolder, folder, draft)
      return nothing
    }),
  'draft.drop': (session, { folder, path }) =>
    inOpen(session, folder, async () => {
      await dropDraft(session.installation.cacheFolder, folder, path)
      return nothing
    }),
  'draft.list': (session, { folder }) =>
    inOpen(session, folder, async () =>
      ok(await listDrafts(session.installation.cacheFolder, folder)),
    ),
}
