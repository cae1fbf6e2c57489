import { readOptions } from '../../options'
import { printError } from '../../print'
import { refuse } from '../../verb'
import type { Verb } from '../../verb'
import { serveOptions } from './options'

export const verb: Verb = {
  name: 'serve',
  order: 20,
  description:
    'run the engine (the part of Opsmith that builds and calls operators) for another process, such as a window on another machine',
  notes: [
    'The messages are framed and versioned. Both sides must have the same version of Opsmith. All other output goes to stderr.',
  ],
  argument: undefined,
  options: serveOptions,
  readsInput: ({ engine }) => engine !== true,
  execute: async (_target, given) => {
    const values = readOptions(serveOptions, given)
    if (!values.ok) return printError(values.error, false)
    const { engine, stdio } = values.value
    if (!engine && !stdio)
      return refuse('opsmith serve needs --stdio.', false, 'Run `opsmith serve --stdio`.')
    // The session's modules would cost the start of every other verb 20 ms.
    const { beEngine, serve } = await import('./run')
    return engine ? await beEngine(values.value) : await serve(values.value)
  },
}
