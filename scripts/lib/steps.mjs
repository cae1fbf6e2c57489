import { takeLock } from './lock.mjs'

/**
 * One step of set-up.
 * @typedef {object} Step
 * @property {string} title
 * @property {(context: any) => Promise<string | undefined> | string | undefined} check
 *   what is there already, in a few words; undefined when something has to be done
 * @property {(context: any, say: (line: string) => void) => Promise<string | void>} make
 *   does it; interrupted anywhere and run again it must come to the same end
 * @property {Step} [needsOnly] the one earlier step that it needs: those between the two run at the same time
 */

/** Set-up cannot go on; the message says what to do, and no stack helps. */
export class SetupFailure extends Error {}

/**
 * Runs steps in order, one line each; a step that needs only one of the earlier ones begins right after that one, and
 * prints when it is its turn.
 * @param {Step[]} steps
 * @param {{ out: NodeJS.WriteStream, quiet: boolean, onDone?: (step: Step) => void }} options
 *   quiet: a step that has nothing to do prints nothing; onDone: something else goes on, and prints, after a step:
 *   lines are printed whole then
 */
export async function runSteps(steps, context, options) {
  const { out, quiet, onDone } = options
  /** @type {Promise<() => void> | undefined} */
  let lock
  let isLocked = false
  /** Taken by the first step that has work, and only then: starting twice must stay possible. */
  const holdLock = async () => {
    lock ??= takeLock((holder) =>
      out.write(`another set-up of this clone is running (process ${holder}): waiting\n`),
    )
    await lock
    isLocked = true
  }
  /** @param {(text: string) => void} write */
  const run = async (step, write, terminal) => {
    const prefix = `[${steps.indexOf(step) + 1}/${steps.length}] ${step.title} …`
    let present = await step.check(context)
    if (present === undefined && !isLocked) {
      await holdLock()
      present = await step.check(context)
    }
    if (present !== undefined) {
      if (!quiet) write(`${prefix} done already${present ? ` (${present})` : ''}\n`)
      return
    }
    const started = performance.now()
    const said = []
    if (terminal) write(prefix)
    const say = (line) => {
      if (terminal && said.length === 0) write('\n')
      write(`      ${line}\n`)
      said.push(line)
    }
    try {
      const made = await step.make(context, say)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      const end = ` ${seconds} s${made ? ` (${made})` : ''}\n`
      write(terminal && said.length === 0 ? end : `${prefix}${end}`)
    } catch (error) {
      if (terminal && said.length === 0) write('\n')
      throw error
    }
  }
  const begin = (step) => {
    /** @type {string[] | undefined} */
    let held = []
    const running = run(step, (text) => (held ? held.push(text) : out.write(text)), false)
    // Whether it went well is asked when it is its turn.
    running.catch(() => {})
    return async () => {
      for (const text of held ?? []) out.write(text)
      held = undefined
      await running
    }
  }
  /** @type {Map<Step, () => Promise<void>>} */
  const begun = new Map()
  try {
    for (const step of steps) {
      const finish = begun.get(step)
      await (finish ? finish() : run(step, (text) => out.write(text), out.isTTY && !onDone))
      onDone?.(step)
      for (const later of steps.filter(({ needsOnly }) => needsOnly === step))
        begun.set(later, begin(later))
    }
  } finally {
    const release = await lock
    release?.()
  }
}
