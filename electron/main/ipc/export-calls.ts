import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { dialog, shell } from 'electron'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { setExports } from '../../engine/project/edit-manifest'
import type { AppSession } from '../app-session'
import { TextBatch } from '../text-batch'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'

type ExportCalls =
  | 'export.forms'
  | 'export.chooseDirectory'
  | 'export.diff'
  | 'export.run'
  | 'export.keep'
  | 'export.showDirectory'

function mayWrite(session: AppSession, directory: string): Result<null> {
  return session.mayExportTo(directory)
    ? ok(null)
    : err('request.invalid', `${directory} was not chosen in this window.`, { path: 'directory' })
}

async function askForFolder(session: AppSession, folder: string): Promise<string | null> {
  const options = {
    title: 'Export to',
    buttonLabel: 'Export here',
    defaultPath: path.dirname(folder),
    properties: ['openDirectory' as const, 'createDirectory' as const],
  }
  const chosen = session.window
    ? await dialog.showOpenDialog(session.window, options)
    : await dialog.showOpenDialog(options)
  return chosen.canceled ? null : (chosen.filePaths[0] ?? null)
}

/** What the window says that was typed is the user's word only once they confirm it here. */
async function confirmFolder(session: AppSession, directory: string): Promise<string | null> {
  const options = {
    type: 'question' as const,
    message: `Export to ${directory}?`,
    detail: 'It is outside the project. Each form gets a folder of its own in it.',
    buttons: ['Export there', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  }
  const answer = session.window
    ? await dialog.showMessageBox(session.window, options)
    : await dialog.showMessageBox(options)
  return answer.response === 0 ? directory : null
}

async function chooseDirectory(
  session: AppSession,
  folder: string,
  typed: string,
): Promise<string | null> {
  const given = typed.trim()
  if (given === '') return await askForFolder(session, folder)
  const atHome = given === '~' || given.startsWith('~/')
  const directory = atHome ? path.join(os.homedir(), given.slice(1)) : path.resolve(folder, given)
  return session.mayExportTo(directory) ? directory : await confirmFolder(session, directory)
}

export const exportCalls: Handlers<ExportCalls> = {
  'export.forms': (session, { folder }) =>
    inOpen(session, folder, () => session.workbench.exports.forms(folder)),
  'export.chooseDirectory': (session, { folder, typed }) =>
    inOpen(session, folder, async () => {
      const directory = await chooseDirectory(session, folder, typed)
      if (directory === null) return ok(null)
      await session.noteExportTo(directory)
      return ok({ directory })
    }),
  'export.keep': (session, { folder, forms }) =>
    inOpen(session, folder, async () => {
      const done = await setExports(folder, forms)
      return done.ok ? nothing : done
    }),
  'export.diff': (session, { folder, job, request }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const allowed = mayWrite(session, request.directory)
        if (!allowed.ok) return allowed
        return await session.workbench.exports.diff(folder, request, { signal })
      }),
    ),
  'export.run': (session, { folder, job, request }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const allowed = mayWrite(session, request.directory)
        if (!allowed.ok) return allowed
        const logs = new Map<string, TextBatch>()
        const report = await session.workbench.exports.run(folder, request, {
          signal,
          onProgress: (progress) => {
            session.send('export.progressed', { job, ...progress })
          },
          onOutput: (form, step, text) => {
            const key = `${form} ${step}`
            let log = logs.get(key)
            if (!log) {
              log = new TextBatch((joined) => {
                session.send('export.output', { job, form, step, text: joined })
              })
              logs.set(key, log)
            }
            log.add(text)
          },
        })
        for (const log of logs.values()) log.flush()
        session.noteFiles(report)
        return report
      }),
    ),
  'export.showDirectory': async (session, { directory }) => {
    const allowed = mayWrite(session, directory)
    if (!allowed.ok) return allowed
    // A file would be opened with its program.
    const isFolder = await fs.stat(directory).then(
      (stat) => stat.isDirectory(),
      () => false,
    )
    if (!isFolder) return err('io', `There is no folder ${directory} any more.`)
    const problem = await shell.openPath(path.resolve(directory))
    return problem === '' ? nothing : err('io', `Could not open ${directory}: ${problem}`)
  },
}
