import fs from 'node:fs'
import path from 'node:path'

import { app } from 'electron'

import { removeLeftovers } from '../engine/builds/leftovers'
import { findInstallation } from '../engine/installation'
import { readSettings } from '../engine/project/settings-file'
import { pruneBuildCaches } from '../engine/compile/build'
import { findOnPath } from '../engine/toolchain/find-on-path'
import { AppSession } from './app-session'
import { quitWithDevelopmentServer, serveRendererInDevelopment } from './development'
import { generalCalls } from './ipc/app-calls'
import { timingCalls } from './ipc/timing-calls'
import { exportCalls } from './ipc/export-calls'
import { gradcheckCalls } from './ipc/gradcheck-calls'
import { graphCalls } from './ipc/graph-calls'
import { listenToRenderer } from './ipc/handle'
import { lintCalls } from './ipc/lint-calls'
import { languageCalls } from './ipc/language-calls'
import { operatorCheckCalls } from './ipc/operator-check-calls'
import { operatorCalls } from './ipc/operator-calls'
import { profileCalls } from './ipc/profile-calls'
import { projectCalls } from './ipc/project-calls'
import { installMenu } from './menu'
import { lockDownContents, lockDownSession, registerScheme, serveRenderer } from './security'
import { openWindow } from './window'

/** Electron's executable has an allocator of its own, which no preloaded library replaces: a Node on PATH has not. */
const installation = { ...findInstallation(__dirname), plainNode: findOnPath('node') ?? '' }

/** A folder named on the command line, else the project of last time, else none. */
async function startFolder(): Promise<string> {
  const named = process.argv
    .slice(1)
    .find(
      (word) =>
        !word.startsWith('-') && path.resolve(word) !== installation.root && !word.endsWith('.cjs'),
    )
  const caller = process.env['OPSMITH_CALLER_FOLDER'] ?? process.cwd()
  if (named !== undefined) return path.resolve(caller, named)
  const { recentProjects } = await readSettings(installation.cacheFolder)
  const [last = ''] = recentProjects
  return last !== '' && fs.existsSync(path.join(last, 'opsmith.json')) ? last : ''
}

async function run(): Promise<void> {
  await app.whenReady()
  lockDownSession()
  if (process.env['NODE_ENV'] === 'development') {
    installMenu(true)
    serveRendererInDevelopment()
    quitWithDevelopmentServer()
  } else {
    installMenu(false)
    serveRenderer(path.join(installation.root, 'dist', 'renderer'))
  }
  const session = new AppSession(installation, await startFolder())
  await session.workbench.applySettings()
  listenToRenderer(session, {
    ...generalCalls,
    ...projectCalls,
    ...operatorCalls,
    ...graphCalls,
    ...gradcheckCalls,
    ...operatorCheckCalls,
    ...profileCalls,
    ...timingCalls,
    ...exportCalls,
    ...lintCalls,
    ...languageCalls,
  })
  await openWindow(session, path.join(__dirname, 'preload.cjs'))
  // Not before the window is up: loading libtorch would take one of two cores from it.
  void session.workbench.hosts.host()
  let closing = false
  app.on('window-all-closed', () => {
    if (closing) return
    closing = true
    void session.close().finally(() => {
      app.quit()
    })
  })
  void removeLeftovers(installation)
  await session.prepareInBackground()
  pruneBuildCaches(installation)
}

registerScheme()
lockDownContents()
app.setPath('userData', path.join(installation.cacheFolder, 'electron-profile'))
// GPU-less machines paint in software all the same; asking for a GPU only fills the log.
app.commandLine.appendSwitch('disable-features', 'Translate,MediaRouter')
run().catch((error: unknown) => {
  process.stderr.write(
    `opsmith: could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  app.exit(2)
})
