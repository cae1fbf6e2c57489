import fs from 'node:fs'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import { addOperator } from '../../engine/project/add-operator'
import { dropDraft, keepDraft, listDrafts } from '../../engine/project/drafts'
import { setInputs, setToolchain } from '../../engine/project/edit-manifest'
import {
  createProjectFile,
  readExternalFile,
  readProjectFile,
  writeProjectFile,
} from '../../engine/project/files'
import { manifestJsonSchema } from '../../engine/project/manifest-schema'
import { keepResults, readResults } from '../../engine/project/shown-results'
import { realPlace } from '../../engine/project/inside'
import { isCode } from '../../engine/project/sources'
import { createProject, listTemplates, projectsFolder } from '../../engine/project/new-project'
import { copySample, listSamples } from '../../engine/project/samples'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall } from './project-job'

type ProjectCalls =
  | 'project.open'
  | 'project.choose'
  | 'project.close'
  | 'project.samples'
  | 'project.copySample'
  | 'project.new'
  | 'project.templates'
  | 'project.ofModels'
  | 'project.addOperator'
  | 'project.setInputs'
  | 'project.setToolchain'
  | 'project.manifestSchema'
  | 'file.read'
  | 'file.write'
  | 'file.create'
  | 'file.readExternal'
  | 'draft.keep'
  | 'draft.drop'
  | 'draft.list'
  | 'results.read'
  | 'results.keep'

export const projectCalls: Handlers<ProjectCalls> = {
  'project.open': (session, { folder }) => session.open(folder),
  'project.choose': async (session, { purpose }) => {
    const folder = await session.desktop.askToOpen({
      ...(purpose === 'project'
        ? { title: 'Open an operator project' }
        : { title: 'Where to create the folder of the new project', buttonLabel: 'Choose' }),
      properties: ['openDirectory', 'createDirectory'],
    })
    return ok(folder === null ? null : { folder })
  },
  'project.close': async (session) => {
    await session.closeProject()
    return nothing
  },
  'project.samples': async (session) => ok(await listSamples(session.installation)),
  'project.copySample': async (session, { name, parent }) => {
    const base =
      parent === ''
        ? projectsFolder(await session.workbench.projects.settings(), session.installation)
        : parent
    const copy = await copySample(session.installation, name, base)
    // What is in it came from here.
    if (copy.ok) await session.keepOrSay(session.trust.decide(copy.value.folder, 'trusted'))
    return copy
  },
  'project.templates': async (session) =>
    ok({
      templates: await listTemplates(session.installation),
      parent: projectsFolder(await session.workbench.projects.settings(), session.installation),
    }),
  'project.ofModels': async (session) => {
    const settings = await session.workbench.projects.settings()
    const folder = path.join(projectsFolder(settings, session.installation), 'models')
    if (fs.existsSync(path.join(folder, manifestFileName))) return ok({ folder })
    const made = await createProject(session.installation, folder, 'empty')
    if (made.ok) await session.keepOrSay(session.trust.decide(made.value.folder, 'trusted'))
    return made
  },
  'project.new': async (session, { name, parent, template }) => {
    if (name !== path.basename(name)) {
      return err('request.invalid', `"${name}" is not the name of a folder.`, {
        path: 'name',
        hint: 'Write a name without "/".',
      })
    }
    if (!path.isAbsolute(parent)) {
      return err('request.invalid', `${path.join(parent, name)} is not an absolute path.`, {
        path: 'parent',
        hint: 'Write the full path of the folder: /path/to/operators.',
      })
    }
    const made = await createProject(session.installation, path.join(parent, name), template)
    // What is in it came from here.
    if (made.ok) await session.keepOrSay(session.trust.decide(made.value.folder, 'trusted'))
    return made
  },
  'project.addOperator': projectCall(({ session }, { folder, name, template }) =>
    addOperator(session.installation, folder, name, template),
  ),
  'project.setInputs': projectCall(async (_call, { folder, inputs }) => {
    const done = await setInputs(folder, inputs)
    return done.ok ? nothing : done
  }),
  'project.setToolchain': projectCall(async (_call, { folder, ...choice }) => {
    const done = await setToolchain(folder, choice)
    return done.ok ? nothing : done
  }),
  'project.manifestSchema': () => ok(JSON.stringify(manifestJsonSchema())),
  'file.read': projectCall((_call, { folder, path }) => readProjectFile(folder, path)),
  'file.write': projectCall((_call, { folder, path, text, baseVersion }) =>
    writeProjectFile(folder, path, text, baseVersion),
  ),
  'file.create': projectCall((_call, { folder, path }) => createProjectFile(folder, path)),
  'file.readExternal': async (session, { path }) => {
    if (!session.project?.wasNamed(path))
      return err(
        'request.invalid',
        `${path} is outside the project. Opsmith opens files outside the project only from a link in a message.`,
        {
          path: 'path',
        },
      )
    // A message names whatever #line says.
    return isCode(await realPlace(path))
      ? await readExternalFile(path)
      : err(
          'request.invalid',
          `Opsmith did not open ${path}. Outside the project, Opsmith opens only C++ and CUDA files.`,
          { path: 'path', hint: 'Open the file in another editor.' },
        )
  },
  'draft.keep': projectCall(async ({ session }, { folder, draft }) => {
    await keepDraft(session.installation.dataFolder, folder, draft)
    return nothing
  }),
  'draft.drop': projectCall(async ({ session }, { folder, path }) => {
    await dropDraft(session.installation.dataFolder, folder, path)
    return nothing
  }),
  'draft.list': projectCall(async ({ session }, { folder }) =>
    ok(await listDrafts(session.installation.dataFolder, folder)),
  ),
  'results.read': projectCall(async ({ session }, { folder }) =>
    ok(await readResults(session.installation.dataFolder, folder)),
  ),
  'results.keep': projectCall(async ({ session }, { folder, text }) => {
    await keepResults(session.installation.dataFolder, folder, text)
    return nothing
  }),
}
