import { ipcMain } from 'electron'

import { appCalls } from '../../contract/app-calls'
import type { AppCallName, AppCalls, AppOutput } from '../../contract/app-calls'
import { callChannel, dropChannel } from '../../contract/channels'
import { err, ok, WorkbenchFailure } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { z } from 'zod'
import { diskError } from '../../engine/project/file-errors'
import { restricted } from '../../engine/project/open-project'
import type { AppSession } from '../app-session'
import { isTrustedSender } from '../security'
import { restrictedCalls } from './restricted-mode'

export type ParsedInput<N extends AppCallName> = z.output<AppCalls[N]['input']>

export type Handlers<Names extends AppCallName> = {
  [N in Names]: (
    session: AppSession,
    input: ParsedInput<N>,
  ) => Promise<Result<AppOutput<N>>> | Result<AppOutput<N>>
}

function isCallName(name: unknown): name is AppCallName {
  return typeof name === 'string' && Object.hasOwn(appCalls, name)
}

type AnyHandler = (
  session: AppSession,
  input: unknown,
) => Promise<Result<unknown>> | Result<unknown>

/** One answer to one call: parsed on the way in, a Result on the way out, whatever happens between. */
export async function answer(
  session: AppSession,
  handlers: Handlers<AppCallName>,
  name: unknown,
  input: unknown,
): Promise<Result<unknown>> {
  if (!isCallName(name)) return err('request.invalid', `There is no call named ${String(name)}.`)
  const parsed = appCalls[name].input.safeParse(input)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = issue?.path.map(String).join('.') ?? ''
    return err(
      'request.invalid',
      `${name}: ${issue?.message ?? 'the request does not have the expected form'}`,
      {
        path: where,
      },
    )
  }
  const { project } = session
  if (project && project.trust !== 'trusted' && !restrictedCalls.has(name))
    return restricted(project.folder)
  try {
    return await (handlers[name] as AnyHandler)(session, parsed.data)
  } catch (error) {
    if (error instanceof WorkbenchFailure) return { ok: false, error: error.error }
    const refused = diskError(error)
    if (refused) return { ok: false, error: refused }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`opsmith: ${name}: ${stack}\n`)
    return err('internal', `${name} failed because of a bug in Opsmith.`, { detail: stack })
  }
}

const droppedPaths = z.array(z.string().max(10_000)).max(1000)

/** The one place where the renderer is listened to. */
export function listenToRenderer(session: AppSession, handlers: Handlers<AppCallName>): void {
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown) => {
    if (
      !isTrustedSender(event.senderFrame, event.sender) ||
      event.sender !== session.window?.webContents
    ) {
      return err('request.invalid', 'Only the Opsmith window can make this call.')
    }
    // The Settings panel asks for it again and again, whether somebody looks or not.
    if (name !== 'app.memory') session.touch()
    return await answer(session, handlers, name, input)
  })
  ipcMain.handle(dropChannel, (event, given: unknown): string[] => {
    const paths = droppedPaths.safeParse(given)
    const isWindow = event.sender === session.window?.webContents
    if (!isWindow || !isTrustedSender(event.senderFrame, event.sender) || !paths.success) return []
    session.project?.noteDropped(paths.data)
    return paths.data
  })
}

export const nothing = ok({})
