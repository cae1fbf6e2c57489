import { log } from '../engine/log-file'
import { findNewerVersion } from '../engine/project/version-check'
import type { AppSession } from './app-session'

/** Reports a newer version to the window. A failure is of no interest to somebody who works: the log has it. */
export async function checkVersion(session: AppSession): Promise<void> {
  const { desktop, installation, workbench } = session
  try {
    const own = desktop.version
    const settings = await workbench.projects.settings()
    const found = await findNewerVersion(installation, settings, own)
    if (found) session.send('version.found', { ...found, own })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    log(installation.stateFolder, `the check for a newer version failed: ${why}`)
  }
}
