import { err, ok } from '../../../contract/outcome'
import { sessionName } from '../../../contract/serve'
import { flag, number, parsed } from '../../options'
import type { OptionValues } from '../../options'

export const serveOptions = {
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
export type ServeOptions = OptionValues<typeof serveOptions>
