import type { AppCallName } from '../contract/app-calls'
import type { Result } from '../contract/outcome'
import type { AppSession } from '../session/app-session'
import { answer } from '../session/calls/handle'
import type { Handlers } from '../session/calls/handle'

/** What answers the window. */
export interface Answerer {
  answer(name: unknown, input: unknown): Promise<Result<unknown>>
  /** @param paths what the user dropped on the window */
  noteDropped(paths: readonly string[]): void
}

/** The session answers, or the other machine whose project is open. */
export function answererOf(session: AppSession, handlers: Handlers<AppCallName>): Answerer {
  return {
    answer: async (name, input) => {
      // The Settings panel asks for it again and again, whether somebody looks or not.
      if (name !== 'app.memory') session.touch()
      const here = (): Promise<Result<unknown>> => answer(session, handlers, name, input)
      const { remote } = session
      return remote && typeof name === 'string'
        ? await remote.answer(name, input, here)
        : await here()
    },
    noteDropped: (paths) => {
      session.project?.noteDropped(paths)
    },
  }
}
