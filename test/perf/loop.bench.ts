import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'
import { loopCases } from './loop-cases'
import type { LoopCase } from './loop-cases'
import { betweenSaves, breakAndMend, openCase, pause, save, untilHot } from './loop-window'
import type { Saved } from './loop-window'
import { quantile, row } from './measure'
import type { BenchmarkOptions, Row } from './measure'
import type { SeenAfterSave } from './watch-window'

const errorGoal = 0.3
const freshGoal = 0.8

async function measure(
  cache: TestCache,
  one: LoopCase,
  { say, rounds = 20 }: BenchmarkOptions,
): Promise<Row[]> {
  const app = await openCase(cache, one)
  try {
    await untilHot(app, one)
    const saves: Saved[] = []
    for (let round = 0; round < rounds; round += 1) {
      await pause(betweenSaves)
      const saved = await save(app, one, 100 + round)
      const { seen, engine, hot } = saved
      if (!hot) throw new Error(`${one.name} was not built by the compile server`)
      say(`${one.name}: ${JSON.stringify(seen)}, engine ${(1000 * engine).toFixed(0)}`)
      saves.push(saved)
    }
    const errors: number[] = []
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1)
      errors.push((await breakAndMend(app, one)) / 1000)
    return rowsOf(one, saves, errors)
  } finally {
    await app.close()
  }
}

function rowsOf(one: LoopCase, saves: readonly Saved[], errors: readonly number[]): Row[] {
  const seconds = (choose: (seen: SeenAfterSave) => number): number[] =>
    saves.map(({ seen }) => choose(seen) / 1000)
  const engine = { name: 'the engine, same build', samples: saves.map((saved) => saved.engine) }
  // A project that has nothing to call shows nothing in the Run panel.
  const result = seconds(({ built, run, schemas }) => Math.max(built, run, schemas))
  return [
    row(
      `${one.name}: Ctrl+S to built`,
      's',
      seconds(({ built }) => built),
      engine,
    ),
    withVerdict(row(`${one.name}: to result and schemas`, 's', result, engine), result, one.goal),
    withVerdict(row(`${one.name}: to an error's marker`, 's', errors), errors, errorGoal),
    withVerdict(
      row(
        `${one.name}: to every panel fresh`,
        's',
        seconds(({ fresh }) => fresh),
      ),
      seconds(({ fresh }) => fresh),
      freshGoal,
    ),
  ]
}

function withVerdict(made: Row, samples: readonly number[], goal: number | undefined): Row {
  const worst = `worst of ${samples.length} ${Math.max(...samples).toFixed(2)} s`
  if (samples.some((one) => one < 0)) return { ...made, verdict: 'NEVER SHOWN' }
  if (goal === undefined) return { ...made, verdict: worst }
  const isWithin = quantile(samples, 0.5) <= goal
  return { ...made, verdict: `${isWithin ? 'within' : 'MISSES'} ${goal} s, ${worst}` }
}

/**
 * What a user waits for: in the real window, with clangd and all panels open, from Ctrl+S to the new result on the
 * screen. Saves are seconds apart, as people make them.
 */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const { only = '' } = options
  const cache = makeTestCache()
  const rows: Row[] = []
  try {
    for (const one of loopCases(cache)) {
      if (!one.name.includes(only)) continue
      options.say(one.name)
      rows.push(...(await measure(cache, one, options)))
    }
    return rows
  } finally {
    cache.remove()
  }
}
