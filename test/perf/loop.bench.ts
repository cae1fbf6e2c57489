import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'
import { loopCases } from './loop-cases'
import type { LoopCase } from './loop-cases'
import { betweenSaves, breakAndMend, openCase, pause, save, untilHot } from './loop-window'
import type { Saved } from './loop-window'
import { emptyWindowSeconds } from './empty-window'
import { judged, row } from './measure'
import type { BenchmarkOptions, Row } from './measure'
import type { SeenAfterSave, Watched } from './watch-window'

const errorGoal = 0.3
const freshGoal = 0.8

async function measure(
  cache: TestCache,
  one: LoopCase,
  empty: readonly number[],
  { say, rounds = 20 }: BenchmarkOptions,
): Promise<Row[]> {
  const app = await openCase(cache, one)
  try {
    await untilHot(app, one)
    const saves: Saved[] = []
    for (let round = 0; round < rounds; round += 1) {
      await pause(betweenSaves)
      const saved = await save(app, one, 100 + round)
      const { seen, engine, hot, cpu } = saved
      if (!hot) throw new Error(`${one.name} was not built by the compile server`)
      const times = [...cpu].map(([kind, taken]) => `${kind} ${taken.toFixed(2)}`).join(', ')
      say(`${one.name}: ${JSON.stringify(seen)}, engine ${(1000 * engine).toFixed(0)}; ${times}`)
      saves.push(saved)
    }
    const errors: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const milliseconds = await breakAndMend(app, one)
      errors.push(milliseconds < 0 ? milliseconds : milliseconds / 1000)
    }
    return rowsOf(one, saves, errors, empty)
  } finally {
    await app.close()
  }
}

/** Panels that a build refreshes by themselves, and how their rows are named. */
const panels = [
  ['graph', 'to the new graph'],
  ['gradchecks', 'to the gradchecks'],
] as const

function rowsOf(
  one: LoopCase,
  saves: readonly Saved[],
  errors: readonly number[],
  empty: readonly number[],
): Row[] {
  const { name, goal, worstGoal, shows } = one
  const seconds = (choose: (seen: SeenAfterSave) => number): number[] =>
    saves.map(({ seen }) => {
      const milliseconds = choose(seen)
      return milliseconds < 0 ? milliseconds : milliseconds / 1000
    })
  const engine = { name: 'the engine, same build', samples: saves.map((saved) => saved.engine) }
  const built = seconds((seen) => seen.built)
  /** Until the last of these that the project shows; -1 where one never came. */
  const untilAll = (...wanted: Watched[]): number[] =>
    seconds((seen) => {
      const all = wanted.filter((what) => shows.includes(what)).map((what) => seen[what])
      return all.some((milliseconds) => milliseconds < 0) ? -1 : Math.max(...all)
    })
  const result = untilAll('built', 'run', 'schemas')
  const inSight = untilAll('built', 'run', 'schemas', 'graph', 'gradchecks')
  const limits = { goal, ...(worstGoal === undefined ? {} : { worstGoal }) }
  const window = { name: 'a key in an empty window of the same Electron', samples: empty }
  return [
    row(`${name}: Ctrl+S to built`, 's', built, engine),
    judged(row(`${name}: to result and schemas`, 's', result, engine), result, limits),
    judged(row(`${name}: to an error's marker`, 's', errors, window), errors, { goal: errorGoal }),
    ...panels
      .filter(([what]) => shows.includes(what))
      .map(([what, title]) => {
        const samples = seconds((seen) => seen[what])
        return judged(row(`${name}: ${title}`, 's', samples, window), samples, { goal: freshGoal })
      }),
    judged(row(`${name}: to every panel in sight fresh`, 's', inSight, window), inSight, {
      goal: freshGoal,
    }),
    // Operator checks of the chosen operator, which take as long as they take, are in it.
    row(
      `${name}: until nothing runs`,
      's',
      seconds((seen) => seen.fresh),
    ),
    ...cpuRows(name, saves),
  ]
}

/** CPU time of each kind of process from Ctrl+S until nothing runs any more. */
function cpuRows(name: string, saves: readonly Saved[]): Row[] {
  const kinds = [...new Set(saves.flatMap(({ cpu }) => [...cpu.keys()]))]
  return kinds.map((kind) =>
    row(
      `${name}: CPU time of ${kind}`,
      's',
      saves.map(({ cpu }) => cpu.get(kind) ?? 0),
    ),
  )
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
    options.say('empty window')
    const empty = await emptyWindowSeconds(cache, options.rounds ?? 20)
    for (const one of loopCases(cache)) {
      if (!one.name.includes(only)) continue
      options.say(one.name)
      rows.push(...(await measure(cache, one, empty, options)))
    }
    return rows
  } finally {
    cache.remove()
  }
}
