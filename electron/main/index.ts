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
import { terminalCalls } from './ipc/terminal-calls'
import { trustCalls } from './ipc/trust-calls'
import { installMenu } from './menu'
import { lockDownContents, lockDownSession, registerScheme, serveRenderer } from './security'
import { isOnlyInstance, onSecondInstance } from './single-instance'
import { openWindow } from './window'

/** Electron's executable has an allocator of its own, which no preloaded library replaces: a Node on PATH has not. */
const installation = { ...findInstallation(__dirname), plainNode: findOnPath('node') ?? '' }

/** Milliseconds that the window gets to show source and results, before what a later build may need is looked at. */
const prepareDelay = 4_000

const isFolderWord = (word: string): boolean =>
  !word.startsWith('-') && path.resolve(word) !== installation.root && !word.endsWith('.cjs')

/** The folder that the command line names, absolute; "" for none. */
function namedFolder(): string {
  const named = process.argv.slice(1).find(isFolderWord)
  const caller = process.env['OPSMITH_CALLER_FOLDER'] ?? process.cwd()
  return named === undefined ? '' : path.resolve(caller, named)
}

/** The folder that is named, else the project of last time, else none. */
async function startFolder(): Promise<string> {
  const named = namedFolder()
  if (named !== '') return named
  const { recentProjects } = await readSettings(installation.cacheFolder)
  const [last = ''] = recentProjects
  return last !== '' && fs.existsSync(path.join(last, 'opsmith.json')) ? last : ''
}

/** Runs once this process has ended: for a start that came while it was closing. */
function startAgain(folder: string): void {
  const words = process.argv.slice(1).filter((word) => !isFolderWord(word))
  app.relaunch({ args: folder === '' ? words : [...words, folder] })
}

async function prepare(session: AppSession): Promise<void> {
  try {
    await removeLeftovers(installation)
    pruneBuildCaches(installation)
    await session.prepareInBackground()
  } catch (error) {
    // The window works without either.
    session.noteUnexpected(error)
  }
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
  const folder = await startFolder()
  const session = new AppSession(installation, folder)
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (error: unknown) => {
      session.noteUnexpected(error)
    })
  }
  onSecondInstance((wanted) => {
    if (session.isClosing) startAgain(wanted)
    else session.show(wanted)
  })
  await session.workbench.applySettings()
  listenToRenderer(session, {
    ...generalCalls,
    ...projectCalls,
    ...trustCalls,
    ...operatorCalls,
    ...graphCalls,
    ...gradcheckCalls,
    ...operatorCheckCalls,
    ...profileCalls,
    ...timingCalls,
    ...exportCalls,
    ...lintCalls,
    ...languageCalls,
    ...terminalCalls,
  })
  await openWindow(session, path.join(__dirname, 'preload.cjs'))
  // Not before the window is up: loading libtorch would take one of two cores from it.
  if (folder === '' || (await session.trust.of(folder)) === 'trusted')
    void session.workbench.hosts.host()
  let ending = false
  app.on('window-all-closed', () => {
    if (ending) return
    ending = true
    void session.close().finally(() => {
      app.quit()
    })
  })
  setTimeout(() => {
    if (!ending) void prepare(session)
  }, prepareDelay)
}

registerScheme()
lockDownContents()
app.setPath('userData', path.join(installation.cacheFolder, 'electron-profile'))
// GPU-less machines paint in software all the same; asking for a GPU only fills the log.
app.commandLine.appendSwitch('disable-features', 'Translate,MediaRouter')
if (isOnlyInstance(namedFolder())) {
  run().catch((error: unknown) => {
    process.stderr.write(
      `opsmith: could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    app.exit(2)
  })
} else {
  process.stderr.write('opsmith: the window that is open already comes to the front\n')
  app.exit(0)
}
