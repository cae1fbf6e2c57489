import { appCalls } from '../../contract/app-calls'
import type { AppCallName, AppCalls, AppOutput } from '../../contract/app-calls'
import { err, ok, WorkbenchFailure } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { z } from 'zod'
import { diskError } from '../../engine/project/file-errors'
import { restricted } from '../../engine/project/open-project'
import type { AppSession } from '../app-session'
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
    return err(
      'internal',
      `Opsmith could not finish the call "${name}", because of a bug in Opsmith. Try again. If the call fails again, report the bug.`,
      { detail: stack },
    )
  }
}

export const nothing = ok({})
