import path from 'node:path'

import { expect, it, vi } from 'vitest'

import { root } from '../support/installation'

const lock = vi.hoisted(() => ({ taken: 0, released: 0 }))
vi.mock('../../scripts/lib/lock.mjs', () => ({
  takeLock: async () => {
    lock.taken += 1
    return () => (lock.released += 1)
  },
}))

/** What is printed, and what the steps did, in this order. */
let lines: string[]
const out = { isTTY: false, write: (text: string) => lines.push(text.trimEnd()) }

interface Step {
  title: string
  check: () => string | undefined
  make: (context: object, say: (line: string) => void) => Promise<void>
  needsOnly?: Step
}

interface Steps {
  runSteps: (
    steps: Step[],
    context: object,
    options: { out: typeof out; quiet: boolean },
  ) => Promise<void>
  SetupFailure: typeof Error
}

const { runSteps, SetupFailure } = (await import(path.join(root, 'scripts/lib/steps.mjs'))) as Steps

function step(title: string, more: Partial<Step> = {}): Step {
  return {
    title,
    check: () => undefined,
    make: async () => {
      lines.push(`${title} is made`)
    },
    ...more,
  }
}

async function run(steps: Step[]): Promise<string[]> {
  lines = []
  Object.assign(lock, { taken: 0, released: 0 })
  await runSteps(steps, {}, { out, quiet: false })
  return lines.map((line) => line.replace(/\d+\.\d s/, 'N s'))
}

it('a step that needs only the first runs next to those between, and prints in its turn', async () => {
  const first = step('first')
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  const later = step('later', {
    needsOnly: first,
    make: async (_, say) => {
      say('it works')
      lines.push('later is made')
      end()
    },
  })
  // It would wait for ever if `later` began after it.
  const between = step('between', { make: () => ended })
  expect(await run([first, between, later])).toEqual([
    'first is made',
    '[1/3] first … N s',
    'later is made',
    '[2/3] between … N s',
    '      it works',
    '[3/3] later … N s',
  ])
  expect(lock).toEqual({ taken: 1, released: 1 })
})

it('what failed next to others is reported in its turn, and later steps do not run', async () => {
  const first = step('first')
  const make = async (): Promise<void> => {
    throw new SetupFailure('it broke')
  }
  const steps = [first, step('between'), step('later', { needsOnly: first, make }), step('last')]
  await expect(run(steps)).rejects.toThrow('it broke')
  expect(lines).toContain('between is made')
  expect(lines).not.toContain('last is made')
  expect(lock).toEqual({ taken: 1, released: 1 })
})

it('nothing takes the lock where everything is there', async () => {
  const check = (): string => ''
  const first = step('first', { check })
  expect(await run([first, step('later', { check, needsOnly: first })])).toEqual([
    '[1/2] first … done already',
    '[2/2] later … done already',
  ])
  expect(lock).toEqual({ taken: 0, released: 0 })
})
