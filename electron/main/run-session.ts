import { app } from 'electron'

import type { Installation } from '../engine/installation'
import { AppSession } from '../session/app-session'
import { allCalls } from '../session/calls/all-calls'
import { prepareSession, tellFailures } from '../session/prepare'
import { answererOf } from './answerer'
import type { Answerer } from './answerer'
import type { UnexpectedEnd } from './last-end/last-end'
import type { Shown } from './window'
import type { Wish } from './wish'

/** What a session starts with. */
interface Start {
  installation: Installation
  shown: Shown
  wish: Wish
  unexpectedEnd: UnexpectedEnd | null
}

/** A session of the window, and who answers for it. */
export interface Running {
  session: AppSession
  answerer: Answerer
}

/**
 * Makes the session of the window. This module imports most of the bundle: index.ts imports it when the window has its code.
 */
export async function runSession(start: Start): Promise<Running> {
  const { installation, shown, wish, unexpectedEnd } = start
  const session = new AppSession(installation, shown.desktop, shown.startFolder, unexpectedEnd)
  session.reachOthers()
  session.noteModel(wish.model)
  tellFailures(session)
  shown.session = session
  let stopPreparing: () => void = () => undefined
  let ending = false
  app.on('window-all-closed', () => {
    if (ending) return
    ending = true
    stopPreparing()
    void session.close().finally(() => {
      app.quit()
    })
  })
  // No call is answered before the settings apply.
  await session.workbench.applySettings()
  if (!shown.desktop.isClosing) {
    session.openEarly()
    stopPreparing = prepareSession(session)
  }
  return { session, answerer: answererOf(session, allCalls) }
}
