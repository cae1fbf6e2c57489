import { app } from 'electron'

import type { Installation } from '../engine/installation'
import { AppSession } from '../session/app-session'
import { allCalls } from '../session/calls/all-calls'
import { prepareSession, tellFailures } from '../session/prepare'
import { LastEnd } from './last-end/last-end'
import type { UnexpectedEnd } from './last-end/last-end'
import { listenToRenderer } from './listen-to-renderer'
import { onSecondInstance } from './single-instance'
import type { Shown } from './window'
import { isFolderWord } from './wish'
import type { Wish } from './wish'

/** Runs once this process has ended: for a start that came while it was closing. */
function startAgain({ folder, model }: Wish, root: string): void {
  const words = process.argv.slice(1).filter((word) => !isFolderWord(word, root))
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

/** What a session starts with. */
interface Start {
  installation: Installation
  shown: Shown
  wish: Wish
}

/**
 * Gives the window what it works with: everything but the first page. Its code is most of the bundle, and is read when the
 * window has its own.
 */
export async function runSession({ installation, shown, wish }: Start): Promise<void> {
  const { desktop, startFolder } = shown
  const lastEnd = new LastEnd(installation.stateFolder, desktop.version)
  const session = new AppSession(installation, desktop, startFolder, noteBeginning(lastEnd))
  session.reachOthers()
  session.noteModel(wish.model)
  tellFailures(session)
  onSecondInstance((wanted) => {
    if (desktop.isClosing) startAgain(wanted, installation.root)
    else if (desktop.show()) session.want(wanted)
  })
  const ready = session.workbench.applySettings()
  listenToRenderer({ session, desktop, handlers: allCalls, ready })
  shown.session = session
  await ready
  session.openEarly()
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
