import path from 'node:path'

import { app, crashReporter, nativeTheme } from 'electron'

import { findInstallation } from '../engine/installation'
import { takeOverOlderPlaces } from '../engine/project/older-places'
import { readSettings } from '../engine/project/settings-file'
import { findOnPath } from '../engine/toolchain/find-on-path'
import { quitWithDevelopmentServer, serveRendererInDevelopment } from './development'
import { ElectronDesktop } from './electron-desktop'
import { electronRuntime } from './electron-version'
import { mayHaveGpu } from './gpu-device'
import { LastEnd } from './last-end/last-end'
import type { UnexpectedEnd } from './last-end/last-end'
import { listenToRenderer } from './listen-to-renderer'
import { installMenu } from './menu'
import type { Running } from './run-session'
import {
  lockDownContents,
  lockDownNetwork,
  lockDownSession,
  registerScheme,
  serveRenderer,
} from './security'
import { isOnlyInstance, onSecondInstance } from './single-instance'
import { startPage } from './start-page'
import { showFirstPage, makeWindow } from './window'
import type { Shown } from './window'
import { isFolderWord, namedWish, startFolderOf } from './wish'
import type { Wish } from './wish'

/** Electron's executable has an allocator of its own, which no preloaded library replaces: a Node on PATH has not. */
const found = findInstallation(__dirname)
const installation = {
  ...found,
  plainNode: findOnPath('node') ?? '',
  runtime: electronRuntime(found.root),
}

/** Runs once this process has ended: for a start that came while it was closing. */
function startAgain({ folder, model }: Wish): void {
  const words = process.argv.slice(1).filter((word) => !isFolderWord(word, installation.root))
  const place = model === '' ? folder : model
  app.relaunch({ args: place === '' ? words : [...words, place] })
}

/** A disk that takes no note costs what the next start could say. */
function noteBeginning(lastEnd: LastEnd): UnexpectedEnd | null {
  app.on('quit', () => {
    lastEnd.end()
  })
  try {
    return lastEnd.begin()
  } catch {
    return null
  }
}

/** Opens what other starts name, once the page listens. */
function followOtherStarts(desktop: ElectronDesktop, running: Promise<Running>): void {
  onSecondInstance((wanted) => {
    if (desktop.isClosing) {
      startAgain(wanted)
      return
    }
    if (desktop.window && !desktop.show()) return
    void Promise.all([running, desktop.whenListening()]).then(([{ session }]) => {
      session.want(wanted)
    })
  })
}

/** @param noteRunning called when there is a session */
async function run(
  desktop: ElectronDesktop,
  noteRunning: (running: Running) => void,
): Promise<void> {
  await Promise.all([takeOverOlderPlaces(installation), app.whenReady()])
  const { configFolder, stateFolder } = installation
  lockDownSession()
  if (process.env['NODE_ENV'] === 'development') {
    installMenu(true)
    serveRendererInDevelopment()
    quitWithDevelopmentServer()
  } else {
    installMenu(false)
    serveRenderer(path.join(__dirname, 'renderer'), async (html) =>
      startPage(html, await readSettings(configFolder), nativeTheme),
    )
  }
  const wish = namedWish(installation.root)
  const settings = await readSettings(configFolder)
  const startFolder = startFolderOf(wish, settings)
  const unexpectedEnd = noteBeginning(new LastEnd(stateFolder, desktop.version))
  const shown: Shown = { desktop, stateFolder, startFolder, look: settings }
  const window = makeWindow(shown, path.join(__dirname, 'preload.cjs'))
  const { isLoaded } = await showFirstPage(shown, window)
  const { runSession } = await import('./run-session')
  if (window.isDestroyed()) return
  noteRunning(await runSession({ installation, shown, wish, unexpectedEnd }))
  await isLoaded
}

registerScheme()
lockDownNetwork()
lockDownContents()
// Another Electron's profile may be one that this Electron cannot read. It holds nothing of the user's.
app.setPath('userData', path.join(installation.stateFolder, 'electron'))
app.setPath(
  'sessionData',
  path.join(installation.cacheFolder, 'chromium', process.versions.electron ?? ''),
)
// Of a crash of this process or of the window's; the next start names it. Nothing is sent.
app.setPath('crashDumps', path.join(installation.stateFolder, 'crashes'))
crashReporter.start({ uploadToServer: false })
app.commandLine.appendSwitch('disable-features', 'Translate,MediaRouter')
if (!mayHaveGpu(process.platform)) app.disableHardwareAcceleration()
if (isOnlyInstance(namedWish(installation.root))) {
  const desktop = new ElectronDesktop()
  let noteRunning: (running: Running) => void = () => undefined
  const running = new Promise<Running>((resolve) => {
    noteRunning = resolve
  })
  listenToRenderer(
    desktop,
    running.then(({ answerer }) => answerer),
  )
  followOtherStarts(desktop, running)
  run(desktop, noteRunning).catch((error: unknown) => {
    process.stderr.write(
      `opsmith: could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    app.exit(2)
  })
} else {
  process.stderr.write('opsmith: a window is already open and comes to the front\n')
  app.exit(0)
}
