import path from 'node:path'

import { dialog, shell } from 'electron'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { AppSession } from '../app-session'
import { TextBatch } from '../text-batch'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'

type ExportCalls =
  'export.forms' | 'export.chooseDirectory' | 'export.diff' | 'export.run' | 'export.showDirectory'

/** Exports go into the project, or where the user said. */
function mayWrite(session: AppSession, folder: string, directory: string): Result<null> {
  const target = path.resolve(directory)
  const inside = target.startsWith(path.resolve(folder) + path.sep)
  return inside || session.mayExportTo(target)
    ? ok(null)
    : err('request.invalid', `${directory} was not chosen in this window.`, { path: 'directory' })
}

export const exportCalls: Handlers<ExportCalls> = {
  'export.forms': (session, { folder }) =>
    inOpen(session, folder, () => session.workbench.exports.forms(folder)),
  'export.chooseDirectory': (session, { folder }) =>
    inOpen(session, folder, async () => {
      const options = {
        title: 'Export to',
        defaultPath: path.dirname(folder),
        properties: ['openDirectory' as const, 'createDirectory' as const],
      }
      const chosen = session.window
        ? await dialog.showOpenDialog(session.window, options)
        : await dialog.showOpenDialog(options)
      const [directory] = chosen.filePaths
      if (chosen.canceled || directory === undefined) return ok(null)
      session.noteExportTo(directory)
      return ok({ directory })
    }),
  'export.diff': (session, { folder, job, request }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const allowed = mayWrite(session, folder, request.directory)
        if (!allowed.ok) return allowed
        return await session.workbench.exports.diff(folder, request, { signal })
      }),
    ),
  'export.run': (session, { folder, job, request }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const allowed = mayWrite(session, folder, request.directory)
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
        if (report.ok) {
          for (const form of report.value.forms) {
            if (form.directory !== '') session.noteExportTo(form.directory)
          }
        }
        return report
      }),
    ),
  'export.showDirectory': async (session, { directory }) => {
    if (!session.mayExportTo(directory)) {
      return err('request.invalid', `Nothing was exported to ${directory} in this window.`, {
        path: 'directory',
      })
    }
    const problem = await shell.openPath(path.resolve(directory))
    return problem === '' ? nothing : err('io', `Could not open ${directory}: ${problem}`)
  },
}
