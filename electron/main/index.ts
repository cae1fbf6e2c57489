import fs from 'node:fs'
import path from 'node:path'

import { app, crashReporter } from 'electron'

import { findInstallation } from '../engine/installation'
import { takeOverOlderPlaces } from '../engine/project/older-places'
import { readSettings } from '../engine/project/settings-file'
import { findOnPath } from '../engine/toolchain/find-on-path'
import { AppSession } from '../session/app-session'
import { allCalls } from '../session/calls/all-calls'
import { prepareSession, tellFailures } from '../session/prepare'
import { ElectronDesktop } from './electron-desktop'
import { electronRuntime } from './electron-version'
import { mayHaveGpu } from './gpu-device'
import { quitWithDevelopmentServer, serveRendererInDevelopment } from './development'
import { listenToRenderer } from './listen-to-renderer'
import { LastEnd } from './last-end/last-end'
import type { UnexpectedEnd } from './last-end/last-end'
import { installMenu } from './menu'
import {
  lockDownContents,
  lockDownNetwork,
  lockDownSession,
  registerScheme,
  serveRenderer,
} from './security'
import { isOnlyInstance, onSecondInstance } from './single-instance'
import type { Wish } from './single-instance'
import { openWindow } from './window'

/** Electron's executable has an allocator of its own, which no preloaded library replaces: a Node on PATH has not. */
const found = findInstallation(__dirname)
const installation = {
  ...found,
  plainNode: findOnPath('node') ?? '',
  runtime: electronRuntime(found.root),
}

const isFolderWord = (word: string): boolean =>
  !word.startsWith('-') && path.resolve(word) !== installation.root && !word.endsWith('.cjs')

/** What the command line names, absolute: a project's folder, or a model; "" for none. */
function namedWish(): Wish {
  const named = process.argv.slice(1).find(isFolderWord)
  if (named === undefined) return { folder: '', model: '' }
  const place = path.resolve(process.env['OPSMITH_CALLER_FOLDER'] ?? process.cwd(), named)
  const isFile = fs.statSync(place, { throwIfNoEntry: false })?.isFile() ?? false
  if (!isFile) return { folder: place, model: '' }
  // A file stands for its folder: desktops name the opsmith.json that was double-clicked.
  const folder = path.dirname(place)
  if (!isModel(place)) return { folder, model: '' }
  return { folder: hasManifest(folder) ? folder : '', model: place }
}

const isModel = (file: string): boolean => /\.(pt|pth|pt2)$/i.test(file)
const hasManifest = (folder: string): boolean => fs.existsSync(path.join(folder, 'opsmith.json'))

/** The folder that is named, else the project of last time, else none. */
async function startFolder({ folder }: Wish): Promise<string> {
  if (folder !== '') return folder
  const { recentProjects } = await readSettings(installation.configFolder)
  const [last = ''] = recentProjects
  return last !== '' && hasManifest(last) ? last : ''
}

/** Runs once this process has ended: for a start that came while it was closing. */
function startAgain({ folder, model }: Wish): void {
  const words = process.argv.slice(1).filter((word) => !isFolderWord(word))
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

async function run(): Promise<void> {
  await Promise.all([takeOverOlderPlaces(installation), app.whenReady()])
  lockDownSession()
  if (process.env['NODE_ENV'] === 'development') {
    installMenu(true)
    serveRendererInDevelopment()
    quitWithDevelopmentServer()
  } else {
    installMenu(false)
    serveRenderer(path.join(__dirname, 'renderer'))
  }
  const wish = namedWish()
  const folder = await startFolder(wish)
  const desktop = new ElectronDesktop()
  const lastEnd = new LastEnd(installation.stateFolder, desktop.version)
  const session = new AppSession(installation, desktop, folder, noteBeginning(lastEnd))
  session.reachOthers()
  session.noteModel(wish.model)
  tellFailures(session)
  onSecondInstance((wanted) => {
    if (desktop.isClosing) startAgain(wanted)
    else if (desktop.show()) session.want(wanted)
  })
  await session.workbench.applySettings()
  listenToRenderer(session, desktop, allCalls)
  const shown = openWindow({ session, desktop }, path.join(__dirname, 'preload.cjs'))
  session.openEarly()
  await shown
  const stopPreparing = prepareSession(session)
  let ending = false
  app.on('window-all-closed', () => {
    if (ending) return
    ending = true
    stopPreparing()
    void session.close().finally(() => {
      app.quit()
    })
  })
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
if (isOnlyInstance(namedWish())) {
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
