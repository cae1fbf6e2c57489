import path from 'node:path'

import { dialog } from 'electron'
import type { FileFilter } from 'electron'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { insideProject, ioError, writeAtomically } from '../../engine/project/files'
import type { AppSession } from '../app-session'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'
import { targetOf, timeoutOf } from './saving'

type GraphCalls =
  | 'graph.capture'
  | 'graph.read'
  | 'graph.observe'
  | 'graph.release'
  | 'graph.save'
  | 'graph.openFile'
  | 'graph.readExport'
  | 'graph.writeFile'

const archives: FileFilter = { name: 'TorchScript archive', extensions: ['pt'] }
const models: FileFilter[] = [
  { name: 'Models and graphs', extensions: ['pt', 'pth', 'ts', 'pt2', 'json'] },
  { name: 'All files', extensions: ['*'] },
]

/** A model to read: inside the project as named, one chosen before, or one the user chooses now. */
async function modelOf(
  session: AppSession,
  folder: string,
  named: string,
): Promise<Result<string | null>> {
  if (named !== '') {
    return session.wasOpened(named) ? ok(path.resolve(named)) : await insideProject(folder, named)
  }
  const options = {
    title: 'Open a model',
    defaultPath: folder,
    filters: models,
    properties: ['openFile' as const],
  }
  const chosen = session.window
    ? await dialog.showOpenDialog(session.window, options)
    : await dialog.showOpenDialog(options)
  const [file] = chosen.filePaths
  return ok(chosen.canceled || file === undefined ? null : file)
}

function notOpened(file: string, field: string): Result<never> {
  return err('request.invalid', `${file} has not been opened in this window.`, { path: field })
}

export const graphCalls: Handlers<GraphCalls> = {
  'graph.capture': (session, { folder, job, request, timeout }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const { file } = request
        if (file !== undefined && !session.wasOpened(file)) return notOpened(file, 'request.file')
        const report = await session.workbench.graphs.capture(folder, request, {
          timeout: await timeoutOf(session, timeout),
          signal,
        })
        // Places in an archive come from wherever it was made: they open nothing here.
        if (file === undefined) session.noteFiles(report)
        return report
      }),
    ),
  'graph.read': (session, { capture, step }) => session.workbench.graphs.read(capture, step),
  'graph.observe': (session, { folder, job, capture, step, runs }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) =>
        session.workbench.graphs.observe(capture, step, runs, {
          timeout: await timeoutOf(session, 0),
          signal,
        }),
      ),
    ),
  'graph.release': (session, { captures }) => session.workbench.graphs.release(captures),
  'graph.save': (session, { folder, capture, path: named }) =>
    inOpen(session, folder, async () => {
      const suggested = session.workbench.graphs.archiveName(capture)
      const target = await targetOf(session, folder, named, suggested, [archives])
      if (!target.ok) return target
      if (target.value === null) return ok(null)
      return await session.workbench.graphs.save(capture, target.value)
    }),
  'graph.openFile': (session, { folder, path: named }) =>
    inOpen(session, folder, async () => {
      const file = await modelOf(session, folder, named)
      if (!file.ok) return file
      if (file.value === null) return ok(null)
      const opened = await session.workbench.graphs.openFile(folder, file.value, {
        timeout: await timeoutOf(session, 0),
      })
      if (opened.ok) session.noteOpened(file.value)
      return opened
    }),
  'graph.readExport': async (session, { path: file, entry }) =>
    session.wasOpened(file)
      ? await session.workbench.graphs.readFile(file, entry)
      : notOpened(file, 'path'),
  'graph.writeFile': (session, { folder, path: named, suggestedName, content, base64 }) =>
    inOpen(session, folder, async () => {
      const extension = path.extname(suggestedName).slice(1)
      const filters =
        extension === '' ? [] : [{ name: extension.toUpperCase(), extensions: [extension] }]
      const target = await targetOf(session, folder, named, suggestedName, filters)
      if (!target.ok) return target
      if (target.value === null) return ok(null)
      try {
        await writeAtomically(target.value, base64 ? Buffer.from(content, 'base64') : content)
        return ok({ path: target.value })
      } catch (error) {
        return ioError(error, `write ${target.value}`)
      }
    }),
}
