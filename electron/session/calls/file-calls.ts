import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import {
  changeable,
  createFolder,
  deleteForGood,
  duplicateInProject,
  importIntoProject,
  listFolders,
  moveInProject,
} from '../../engine/project/file-operations'
import { ioError } from '../../engine/project/files'
import { insideProject } from '../../engine/project/inside'
import { listAllFiles } from '../../engine/project/list-tree'
import { openInTextEditor } from '../../engine/toolchain/text-editors'
import type { AppSession } from '../app-session'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall } from './project-job'

type FileCalls =
  | 'folder.list'
  | 'folder.files'
  | 'folder.create'
  | 'file.move'
  | 'file.duplicate'
  | 'file.trash'
  | 'file.reveal'
  | 'file.openElsewhere'
  | 'file.import'

/** Deletes what the trash did not take, once the user agrees; main's dialog cannot be pressed by the window. */
async function offerDelete(
  { desktop }: AppSession,
  { folder, path: relative }: { folder: string; path: string },
  reason: string,
): Promise<Result<{ gone: boolean }>> {
  const pressed = await desktop.ask({
    type: 'warning',
    message: `Delete ${relative} permanently?`,
    detail: reason,
    buttons: ['Delete permanently', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  })
  if (pressed !== 0) return ok({ gone: false })
  const deleted = await deleteForGood(folder, relative)
  return deleted.ok ? ok({ gone: true }) : deleted
}

export const fileCalls: Handlers<FileCalls> = {
  'folder.list': projectCall(async (_call, { folder, paths }) =>
    ok(await listFolders(folder, paths)),
  ),
  'folder.files': projectCall(async (_call, { folder }) => ok(await listAllFiles(folder))),
  'folder.create': projectCall(async (_call, input) => {
    const created = await createFolder(input.folder, input.path)
    return created.ok ? nothing : created
  }),
  'file.move': projectCall(async ({ session }, input) => {
    const moved = await moveInProject(input.folder, input.path, input.newPath)
    if (!moved.ok) return moved
    await session.refresh()
    return nothing
  }),
  'file.duplicate': projectCall((_call, input) => duplicateInProject(input.folder, input.path)),
  'file.trash': projectCall(async ({ session }, input) => {
    const target = await changeable(input.folder, input.path)
    if (!target.ok) return target
    try {
      await session.desktop.moveToTrash(target.value)
      return ok({ gone: true })
    } catch (error) {
      const { message } = ioError(error, `move ${input.path} to the trash`).error
      return await offerDelete(session, input, message)
    }
  }),
  'file.reveal': projectCall(async ({ session }, input) => {
    const target =
      input.path === ''
        ? ok(path.resolve(input.folder))
        : await changeable(input.folder, input.path)
    if (!target.ok) return target
    session.desktop.showInFolder(target.value)
    return nothing
  }),
  'file.openElsewhere': projectCall(async (_call, { folder, path: relative, kind, ...at }) => {
    const file = await insideProject(folder, relative)
    if (!file.ok) return file
    return await openInTextEditor(kind, {
      folder,
      file: file.value,
      line: at.line,
      column: at.column,
    })
  }),
  'file.import': projectCall(async ({ project }, { folder, into, sources }) => {
    const foreign = sources.find((source) => !project.wasDropped(source))
    return foreign === undefined
      ? await importIntoProject(folder, into, sources)
      : err(
          'request.invalid',
          `Opsmith copies only files that you drop on the window, but ${foreign} was not dropped. Drop the file on the Explorer.`,
          { path: 'sources' },
        )
  }),
}
