import { takeLock } from './lock.mjs'

/**
 * One step of set-up.
 * @typedef {object} Step
 * @property {string} title
 * @property {(context: any) => Promise<string | undefined> | string | undefined} check
 *   what is there already, in a few words; undefined when something has to be done
 * @property {(context: any, say: (line: string) => void) => Promise<string | void>} make
 *   does it; interrupted anywhere and run again it must come to the same end
 */

/** Set-up cannot go on; the message says what to do, and no stack helps. */
export class SetupFailure extends Error {}

/**
 * Runs steps in order, one line each.
 * @param {Step[]} steps
 * @param {{ out: NodeJS.WriteStream, quiet: boolean, onDone?: (step: Step) => void }} options
 *   quiet: a step that has nothing to do prints nothing; onDone: something else goes on, and prints, after a step:
 *   lines are printed whole then
 */
export async function runSteps(steps, context, options) {
  const { out, quiet, onDone } = options
  const terminal = out.isTTY && !onDone
  let release
  for (const [index, step] of steps.entries()) {
    const prefix = `[${index + 1}/${steps.length}] ${step.title} …`
    let present = await step.check(context)
    if (present === undefined && !release) {
      // Taken by the first step that has work, and only then: starting twice must stay possible.
      release = await takeLock((holder) =>
        out.write(`another set-up of this clone is running (process ${holder}): waiting\n`),
      )
      present = await step.check(context)
    }
    if (present !== undefined) {
      if (!quiet) out.write(`${prefix} done already${present ? ` (${present})` : ''}\n`)
      onDone?.(step)
      continue
    }
    const started = performance.now()
    const said = []
    if (terminal) out.write(prefix)
    const say = (line) => {
      if (terminal && said.length === 0) out.write('\n')
      out.write(`      ${line}\n`)
      said.push(line)
    }
    try {
      const made = await step.make(context, say)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      const end = ` ${seconds} s${made ? ` (${made})` : ''}\n`
      out.write(terminal && said.length === 0 ? end : `${prefix}${end}`)
      onDone?.(step)
    } catch (error) {
      if (terminal && said.length === 0) out.write('\n')
      release?.()
      throw error
    }
  }
  release?.()
}
