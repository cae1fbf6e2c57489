import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import type { ExportForm } from '../../contract/export'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { setExports } from '../../engine/project/edit-manifest'
import type { AppSession } from '../app-session'
import type { ProjectSession } from '../project-session'
import { TextBatches } from '../text-batch'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { mayRunPythons } from './confirm-tools'
import { projectCall, projectJob } from './project-job'
import type { ProjectCall } from './project-job'

type ExportCalls =
  | 'export.forms'
  | 'export.chooseDirectory'
  | 'export.diff'
  | 'export.run'
  | 'export.keep'
  | 'export.showDirectory'

export async function mayWrite(
  project: ProjectSession | undefined,
  directory: string,
): Promise<Result<null>> {
  return project && (await project.mayExportTo(directory))
    ? ok(null)
    : err(
        'request.invalid',
        `Opsmith exports only to a folder that you chose in this window, but you did not choose ${directory}.`,
        {
          path: 'directory',
          hint: 'Choose the folder in the Export panel.',
        },
      )
}

async function askForFolder({ desktop }: AppSession, folder: string): Promise<string | null> {
  return await desktop.askToOpen({
    title: 'Export to',
    buttonLabel: 'Export here',
    defaultPath: path.dirname(folder),
    properties: ['openDirectory', 'createDirectory'],
  })
}

/** A folder that the window says was typed counts as the user's choice once they confirm it here. */
async function confirmFolder({ desktop }: AppSession, directory: string): Promise<string | null> {
  const pressed = await desktop.ask({
    type: 'question',
    message: `Export to ${directory}?`,
    detail: 'The folder is outside the project. Each export form gets a subfolder with its name.',
    buttons: ['Export', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  })
  return pressed === 0 ? directory : null
}

async function chooseDirectory(
  { session, project }: ProjectCall,
  folder: string,
  typed: string,
): Promise<string | null> {
  const given = typed.trim()
  if (given === '') return await askForFolder(session, folder)
  const atHome = given === '~' || given.startsWith('~/')
  const directory = atHome ? path.join(os.homedir(), given.slice(1)) : path.resolve(folder, given)
  return (await project.mayExportTo(directory))
    ? directory
    : await confirmFolder(session, directory)
}

export const exportCalls: Handlers<ExportCalls> = {
  'export.forms': projectCall(({ workbench }, { folder }) => workbench.exports.forms(folder)),
  'export.chooseDirectory': projectCall(async (call, { folder, typed }) => {
    const directory = await chooseDirectory(call, folder, typed)
    if (directory === null) return ok(null)
    await call.session.keepExportFolder(call.project, directory)
    return ok({ directory })
  }),
  'export.keep': projectCall(async (_call, { folder, forms }) => {
    const done = await setExports(folder, forms)
    return done.ok ? nothing : done
  }),
  'export.diff': projectJob(
    async ({ project, workbench, signal }, { folder, request }) => {
      const allowed = await mayWrite(project, request.directory)
      if (!allowed.ok) return allowed
      return await workbench.exports.diff(folder, request, { signal })
    },
    { filesOf: () => undefined },
  ),
  'export.run': projectJob(
    async ({ session, project, workbench, signal }, { folder, job, request }) => {
      const written = await mayWrite(project, request.directory)
      const allowed = written.ok
        ? await mayRunPythons({ session, project }, request.pythons)
        : written
      if (!allowed.ok) return allowed
      const logs = new TextBatches<{ form: ExportForm; step: string }>((source, text) => {
        session.send('export.output', { job, ...source, text })
      })
      const report = await workbench.exports.run(folder, request, {
        signal,
        onProgress: (progress) => {
          session.send('export.progressed', { job, ...progress })
        },
        onOutput: (form, step, text) => {
          logs.add({ form, step }, text)
        },
      })
      logs.flush()
      return report
    },
  ),
  'export.showDirectory': async ({ desktop, project }, { directory }) => {
    const allowed = await mayWrite(project, directory)
    if (!allowed.ok) return allowed
    // A file would be opened with its program.
    const isFolder = await fs.stat(directory).then(
      (stat) => stat.isDirectory(),
      () => false,
    )
    if (!isFolder) {
      return err('io', `The folder ${directory} no longer exists.`, { hint: 'Export again.' })
    }
    const problem = await desktop.openFolder(path.resolve(directory))
    return problem === '' ? nothing : err('io', `Could not open ${directory}: ${problem}`)
  },
}
