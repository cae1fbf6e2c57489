import path from 'node:path'

import type { FileFilter } from '../../contract/desktop'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { ioError, writeAtomically } from '../../engine/project/files'
import { insideProject } from '../../engine/project/inside'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'
import type { ProjectCall } from './project-job'
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
  { session, project }: ProjectCall,
  folder: string,
  named: string,
): Promise<Result<string | null>> {
  if (named !== '') {
    const isGiven = project.wasOpened(named) || session.givenModels.has(path.resolve(named))
    return isGiven ? ok(path.resolve(named)) : await insideProject(folder, named)
  }
  const file = await session.desktop.askToOpen({
    title: 'Open a model',
    defaultPath: folder,
    filters: models,
    properties: ['openFile'],
  })
  return ok(file)
}

function notOpened(file: string, field: string): Result<never> {
  return err(
    'request.invalid',
    `Opsmith reads only files that you opened in this window, but you have not opened ${file}.`,
    {
      path: field,
      hint: 'Open the file first.',
    },
  )
}

export const graphCalls: Handlers<GraphCalls> = {
  'graph.capture': projectJob(
    async ({ project, workbench, signal, timeout }, { folder, request }) => {
      const { file } = request
      if (file !== undefined && !project.wasOpened(file)) return notOpened(file, 'request.file')
      return await workbench.graphs.capture(folder, request, { timeout, signal })
    },
    // Places in an archive come from wherever it was made: they open nothing here.
    { filesOf: (report, { request }) => (request.file === undefined ? report : undefined) },
  ),
  'graph.read': ({ workbench }, { capture, step }) => workbench.graphs.read(capture, step),
  'graph.observe': projectJob(
    ({ workbench, signal, timeout }, { capture, step, runs }) =>
      workbench.graphs.observe(capture, step, runs, { timeout, signal }),
    // The graph may be an archive's.
    { filesOf: () => undefined },
  ),
  'graph.release': ({ workbench }, { captures }) => workbench.graphs.release(captures),
  'graph.save': projectCall(async ({ session, workbench }, { folder, capture, path: named }) => {
    const suggestedName = workbench.graphs.archiveName(capture)
    const target = await targetOf(session, { folder, named, suggestedName, filters: [archives] })
    if (!target.ok) return target
    if (target.value === null) return ok(null)
    return await workbench.graphs.save(capture, target.value)
  }),
  'graph.openFile': projectCall(async (call, { folder, path: named }) => {
    const { session, project, workbench } = call
    const file = await modelOf(call, folder, named)
    if (!file.ok) return file
    if (file.value === null) return ok(null)
    const timeout = await timeoutOf(session, 0)
    const opened = await workbench.graphs.openFile(folder, file.value, { timeout })
    if (opened.ok) project.noteOpened(file.value)
    return opened
  }),
  'graph.readExport': async ({ project, workbench }, { path: file, entry }) =>
    project?.wasOpened(file)
      ? await workbench.graphs.readFile(file, entry, project.folder)
      : notOpened(file, 'path'),
  'graph.writeFile': projectCall(
    async ({ session }, { folder, path: named, suggestedName, content, base64 }) => {
      const extension = path.extname(suggestedName).slice(1)
      const filters =
        extension === '' ? [] : [{ name: extension.toUpperCase(), extensions: [extension] }]
      const target = await targetOf(session, { folder, named, suggestedName, filters })
      if (!target.ok) return target
      if (target.value === null) return ok(null)
      try {
        await writeAtomically(target.value, base64 ? Buffer.from(content, 'base64') : content)
        return ok({ path: target.value })
      } catch (error) {
        return ioError(error, `write ${target.value}`)
      }
    },
  ),
}
