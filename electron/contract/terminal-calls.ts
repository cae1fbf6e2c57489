import { z } from 'zod'

const none = z.object({})
const inTerminal = z.object({ folder: z.string(), terminal: z.string() })
const size = {
  columns: z.int().min(1).max(2_000),
  rows: z.int().min(1).max(2_000),
}

/** Shells in the open project, which has to be trusted: a part of appCalls. Their texts come as terminal.printed. */
export const terminalCalls = {
  /** Starts the user's shell in the project's folder; `terminal` names it from then on. */
  'terminal.open': {
    input: z.object({ folder: z.string(), ...size }),
    output: z.object({ terminal: z.string(), shell: z.string() }),
  },
  /** Keys and pasted text. */
  'terminal.write': { input: inTerminal.extend({ text: z.string().max(4_000_000) }), output: none },
  'terminal.resize': { input: inTerminal.extend(size), output: none },
  /** So many characters of terminal.printed were drawn: a shell that prints faster than that has to wait. */
  'terminal.drawn': {
    input: inTerminal.extend({ characters: z.int().nonnegative() }),
    output: none,
  },
  /** Ends the shell and all that was started in it. */
  'terminal.close': { input: inTerminal, output: none },
} as const

export const terminalEvents = {
  'terminal.printed': z.object({ terminal: z.string(), text: z.string() }),
  /** The shell has ended by itself. */
  'terminal.ended': z.object({ terminal: z.string(), exitCode: z.int() }),
} as const
