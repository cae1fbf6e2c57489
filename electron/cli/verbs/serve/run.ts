import { Writable } from 'node:stream'

import { err } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { ownVersion } from '../../../engine/installation'
import { keepSession, placeOfSession, relaySession } from '../../../session/serve/kept-session'
import { serveSession } from '../../../session/serve/serve'
import { endingSignals } from '../../ending-signals'
import { exitCodes } from '../../exit-codes'
import { printError } from '../../print'
import { refuse } from '../../verb'
import { commandInstallation } from '../../with-workbench'
import type { ServeOptions } from './options'

/** Milliseconds in which the other side can read the last messages. */
const lastWordsTime = 1_000
/** Seconds that an engine waits for the next connection. */
const keepSeconds = 600

/** Stdout for frames alone: whatever else is printed goes to stderr. */
function takeStdout(): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return new Writable({
    highWaterMark: 1 << 20,
    write: (bytes: Uint8Array, _encoding, done) => {
      write(bytes, done)
    },
  })
}

/** Serves until stdin is closed. */
async function serveStdio(values: ServeOptions): Promise<Result<null>> {
  const { session, keep, resume } = values
  const installation = commandInstallation()
  const { stdin } = process
  for (const signal of endingSignals) process.once(signal, () => stdin.destroy())
  const output = takeStdout()
  // In place of the listener that ends the process: jobs end first.
  process.stdout.removeAllListeners('error').on('error', (error: Error) => output.destroy(error))
  const version = ownVersion(installation.root)
  const place = session === undefined ? undefined : placeOfSession(session)
  if (session === undefined || (!place && !resume))
    return await serveSession({ installation, version, input: stdin, output })
  if (!place)
    return err('target.unavailable', 'No engine of this session runs on this machine.', {
      hint: 'To start an engine, leave out --resume.',
    })
  const words = ['serve', '--engine', '--session', session, '--keep', String(keep ?? keepSeconds)]
  return await relaySession(place, { input: stdin, output, words, mustResume: resume })
}

export async function serve(values: ServeOptions): Promise<number> {
  const served = await serveStdio(values)
  const code = served.ok ? exitCodes.good : printError(served.error, false)
  // What nobody reads would keep this process.
  setTimeout(() => process.exit(code), lastWordsTime).unref()
  return code
}

/** Is the engine of a session, without a pipe. */
export async function beEngine({ session, keep }: ServeOptions): Promise<number> {
  const place = session === undefined ? undefined : placeOfSession(session)
  if (!place) return refuse('opsmith serve --engine needs --session NAME.', false)
  const installation = commandInstallation()
  const version = ownVersion(installation.root)
  await keepSession(place, { installation, version, keep: keep ?? keepSeconds })
  setTimeout(() => process.exit(exitCodes.good), lastWordsTime).unref()
  return exitCodes.good
}
