import { ipcMain } from 'electron'

import { appCalls } from '../../contract/app-calls'
import type { AppCallName, AppCalls, AppOutput } from '../../contract/app-calls'
import { callChannel } from '../../contract/channels'
import { err, ok, WorkbenchFailure } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { z } from 'zod'
import { diskError } from '../../engine/project/files'
import type { AppSession } from '../app-session'
import { isTrustedSender } from '../security'

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
    return err('request.invalid', `${name}: ${issue?.message ?? 'the message does not fit'}`, {
      path: where,
    })
  }
  try {
    return await (handlers[name] as AnyHandler)(session, parsed.data)
  } catch (error) {
    if (error instanceof WorkbenchFailure) return { ok: false, error: error.error }
    const refused = diskError(error)
    if (refused) return { ok: false, error: refused }
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`opsmith: ${name}: ${stack}\n`)
    return err('internal', `${name} failed by a bug of ours.`, { detail: stack })
  }
}

/** The one place where the renderer is listened to. */
export function listenToRenderer(session: AppSession, handlers: Handlers<AppCallName>): void {
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown) => {
    if (
      !isTrustedSender(event.senderFrame, event.sender) ||
      event.sender !== session.window?.webContents
    ) {
      return err('request.invalid', 'Only the workbench window is answered.')
    }
    return await answer(session, handlers, name, input)
  })
}

export const nothing = ok({})
