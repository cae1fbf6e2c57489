import { Writable } from 'node:stream'

import { ownVersion } from '../../engine/installation'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { sessionName } from '../../contract/serve'
import { keepSession, placeOfSession, relaySession } from '../../session/serve/kept-session'
import { serveSession } from '../../session/serve/serve'
import { endingSignals } from '../ending-signals'
import { exitCodes } from '../exit-codes'
import { flag, number, parsed, readOptions } from '../options'
import type { OptionValues } from '../options'
import { printError } from '../print'
import { refuse } from '../verb'
import type { Verb } from '../verb'
import { commandInstallation } from '../with-workbench'

const options = {
  stdio: flag('exchange messages through stdin and stdout until stdin is closed'),
  session: parsed(
    '<name>',
    'keep the engine running after stdin is closed; the next `opsmith serve --stdio` with the same name connects to it (8 to 64 letters, digits, "-" and "_")',
    (given, flagText) =>
      sessionName.safeParse(given).success
        ? ok(given)
        : err(
            'request.invalid',
            `${flagText} must have 8 to 64 characters: letters, digits, "-" or "_".`,
          ),
  ),
  keep: number(
    '<seconds>',
    'with --session: how long the engine waits for the next connection',
    { least: 0 },
    '600',
  ),
  resume: flag('with --session: connect only to an engine that runs; do not start one'),
  engine: flag('with --session: run the engine itself; `opsmith serve --stdio` uses this option'),
}

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
async function serveStdio(values: OptionValues<typeof options>): Promise<Result<null>> {
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

async function serve(values: OptionValues<typeof options>): Promise<number> {
  const served = await serveStdio(values)
  const code = served.ok ? exitCodes.good : printError(served.error, false)
  // What nobody reads would keep this process.
  setTimeout(() => process.exit(code), lastWordsTime).unref()
  return code
}

/** Is the engine of a session, without a pipe. */
async function beEngine({ session, keep }: OptionValues<typeof options>): Promise<number> {
  const place = session === undefined ? undefined : placeOfSession(session)
  if (!place) return refuse('opsmith serve --engine needs --session NAME.', false)
  const installation = commandInstallation()
  const version = ownVersion(installation.root)
  await keepSession(place, { installation, version, keep: keep ?? keepSeconds })
  setTimeout(() => process.exit(exitCodes.good), lastWordsTime).unref()
  return exitCodes.good
}

export const verb: Verb = {
  name: 'serve',
  order: 20,
  description:
    'run the engine (the part of Opsmith that builds and calls operators) for another process, such as a window on another machine',
  notes: [
    'The messages are framed and versioned. Both sides must have the same version of Opsmith. All other output goes to stderr.',
  ],
  argument: undefined,
  options,
  readsInput: ({ engine }) => engine !== true,
  execute: async (_target, given) => {
    const values = readOptions(options, given)
    if (!values.ok) return printError(values.error, false)
    if (values.value.engine) return await beEngine(values.value)
    return values.value.stdio
      ? await serve(values.value)
      : refuse('opsmith serve needs --stdio.', false, 'Run `opsmith serve --stdio`.')
  },
}
