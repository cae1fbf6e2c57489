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
import { installMenu } from './menu'
import {
  lockDownContents,
  lockDownNetwork,
  lockDownSession,
  registerScheme,
  serveRenderer,
} from './security'
import { isOnlyInstance } from './single-instance'
import { startPage } from './start-page'
import { showFirstPage, makeWindow } from './window'
import type { Shown } from './window'
import { namedWish, startFolderOf } from './wish'

/** Electron's executable has an allocator of its own, which no preloaded library replaces: a Node on PATH has not. */
const found = findInstallation(__dirname)
const installation = {
  ...found,
  plainNode: findOnPath('node') ?? '',
  runtime: electronRuntime(found.root),
}

async function run(): Promise<void> {
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
  const desktop = new ElectronDesktop()
  const shown: Shown = { desktop, stateFolder, startFolder, look: settings }
  const window = makeWindow(shown, path.join(__dirname, 'preload.cjs'))
  await showFirstPage(shown, window)
  const { runSession } = await import('./run-session')
  if (!window.isDestroyed()) await runSession({ installation, shown, wish })
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
  run().catch((error: unknown) => {
    process.stderr.write(
      `opsmith: could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    app.exit(2)
  })
} else {
  process.stderr.write('opsmith: a window is already open and comes to the front\n')
  app.exit(0)
}
