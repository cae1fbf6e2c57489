import type { TimingLayers, OpenedTiming } from '../../contract/timing'
import type { ReplayedTiming } from '../../contract/timing-device'
import { err } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { Variant } from './plan'
import { refusalOfSamples, trapWarnings } from './noise'
import { differenceBetween } from './same-results'
import type { Tolerances } from './same-results'
import { callHost, endedHost, HostEnded, layersOf, replayOf, takeSamples } from './take-samples'
import type { Entrant, OpenEntrant, SamplingLimits, Taken } from './take-samples'

/** What came of timing one of the variants of a group. */
export interface VariantOutcome {
  error?: WorkbenchError
  /** Why no speed is shown though there is no error; "" else. */
  refused: string
  warnings: string[]
  /** There is no derivative to time: nothing that the call requires grad for. */
  noBackward?: boolean
  opened?: OpenedTiming
  taken?: Taken
  layers?: TimingLayers
  replay?: ReplayedTiming
}

export interface GroupOptions extends SamplingLimits, Tolerances {
  seconds: number
  /** For results that go from one op host to another. */
  folder: string
  /** Of variants that another direction refused already, by their places. */
  refused: ReadonlyMap<number, string>
}

/** How often a group is begun again because something else was stopped, and its op host with it. */
const mostBegun = 5

const stopped = err('cancelled', 'Stopped.').error

/**
 * Times variants next to each other at one point and in one direction: opened, compared, sampled in
 * turn. The first is the one that the others are compared with. One that ends its op host or runs out
 * of time has that as its error, and the others begin again without it; all do where their op host was
 * ended for something else. On Stop all have that as their error.
 * `enter` gives the call and an op host that has its library.
 */
export async function timeGroup(
  variants: readonly Variant[],
  enter: (variant: Variant) => Promise<Result<Entrant>>,
  options: GroupOptions,
): Promise<VariantOutcome[]> {
  const errors = new Map<number, WorkbenchError>()
  for (let begun = 1; ; begun += 1) {
    const group = new Group(variants, enter, options, errors)
    try {
      return await group.run()
    } catch (failure) {
      if (!(failure instanceof HostEnded)) throw failure
      if (failure.reason.code === 'cancelled')
        return variants.map(() => ({ error: stopped, refused: '', warnings: [] }))
      const isVictim = failure.reason.code === 'host.replaced'
      if (!isVictim || begun >= mostBegun) errors.set(failure.place, failure.reason)
    } finally {
      await group.close()
    }
  }
}

/** One attempt at a group: no op host ends in it. */
class Group {
  private readonly outcomes: VariantOutcome[]
  private readonly open = new Map<number, OpenEntrant>()

  constructor(
    private readonly variants: readonly Variant[],
    private readonly enter: (variant: Variant) => Promise<Result<Entrant>>,
    private readonly options: GroupOptions,
    errors: ReadonlyMap<number, WorkbenchError>,
  ) {
    this.outcomes = variants.map((_, place) => {
      const error = errors.get(place)
      return {
        ...(error ? { error } : {}),
        refused: options.refused.get(place) ?? '',
        warnings: [],
      }
    })
  }

  async run(): Promise<VariantOutcome[]> {
    for (const [place, variant] of this.variants.entries()) await this.openOne(place, variant)
    await this.compareAll()
    const timed = [...this.open].filter(([place]) => this.isGood(place))
    const entrants = timed.map(([, entrant]) => entrant)
    if (entrants.length === 0) return this.outcomes
    const taken = await this.attributing(timed, () =>
      takeSamples(entrants, this.options.seconds, this.options),
    )
    for (const [index, [place, entrant]] of timed.entries()) {
      const result = taken[index]
      const outcome = this.at(place)
      if (result?.ok) outcome.taken = result.value
      else if (result) outcome.error = result.error
      const layers = result?.ok ? await layersOf(entrant, this.options) : undefined
      if (layers) outcome.layers = layers
      const replay = result?.ok ? await replayOf(entrant, this.options) : undefined
      if (replay) outcome.replay = replay
    }
    return this.outcomes
  }

  /** Places among those that are sampled become places among all. */
  private async attributing<T>(
    timed: readonly (readonly [number, OpenEntrant])[],
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (failure) {
      if (!(failure instanceof HostEnded)) throw failure
      throw new HostEnded(timed[failure.place]?.[0] ?? 0, failure.reason)
    }
  }

  private at(place: number): VariantOutcome {
    const outcome = this.outcomes[place]
    if (!outcome) throw new Error(`no variant ${place}`)
    return outcome
  }

  private isGood(place: number): boolean {
    const { error, refused } = this.at(place)
    return error === undefined && refused === ''
  }

  private async openOne(place: number, variant: Variant): Promise<void> {
    if (!this.isGood(place)) return
    const outcome = this.at(place)
    const entrant = await this.enter(variant)
    if (!entrant.ok) {
      outcome.error = entrant.error
      return
    }
    const opened = await callHost(entrant.value, 'timing.open', entrant.value.call, this.options)
    if (!opened.ok && endedHost(opened.error)) throw new HostEnded(place, opened.error)
    if (!opened.ok) {
      outcome.noBackward = opened.error.code === 'derivative.missing'
      if (outcome.noBackward) outcome.refused = `the call has no backward: ${opened.error.message}`
      else outcome.error = opened.error
      return
    }
    outcome.opened = opened.value
    outcome.refused = refusalOfSamples(opened.value.traps)
    outcome.warnings.push(...trapWarnings(opened.value.traps))
    if (!opened.value.warmup.steady) {
      outcome.warnings.push(
        'The times still changed at the end of the warm-up, so the first samples may be wrong. Sample for longer, so that these samples matter less.',
      )
    }
    this.open.set(place, { ...entrant.value, opened: opened.value })
  }

  /** No speed is shown for a wrong answer: which of two that differ is wrong, nobody can tell. */
  private async compareAll(): Promise<void> {
    const own = this.open.get(0)
    if (!own) return
    const differences: string[] = []
    let compared = 0
    for (const [place, other] of this.open) {
      if (place === 0 || this.at(place).refused !== '') continue
      const outcome = this.at(place)
      const isBuild = this.variants[place]?.kind === 'build'
      const trap = other.opened.traps.find(({ kind }) => kind === 'not a number')
      if (trap && !isBuild) {
        outcome.refused = `the result cannot be compared, because ${trap.message}`
        outcome.warnings = []
        this.at(0).warnings.push(
          `The result could not be compared with the result of ${other.label}, which contains NaN: use inputs that are valid for both.`,
        )
        continue
      }
      const [one, against] = isBuild ? [other, own] : [own, other]
      const { folder, rtol, atol } = this.options
      const tolerances = {
        ...(rtol === undefined ? {} : { rtol }),
        ...(atol === undefined ? {} : { atol }),
      }
      const found = await differenceBetween(one, against, {
        place,
        tolerances,
        folder,
        limits: this.options,
      })
      if (!found.ok) {
        outcome.error = found.error
        continue
      }
      if (!isBuild) compared += 1
      if (found.value === '') continue
      if (isBuild) {
        outcome.refused = `the result differs from the result of the current build: ${found.value}`
        this.at(0).warnings.push(
          `The result differs from the result of the ${other.label}: ${found.value}.`,
        )
      } else {
        outcome.refused = `the result differs from the result of ${own.label}: ${found.value}`
        differences.push(`the result differs from the result of ${other.label}: ${found.value}`)
      }
    }
    // As long as one agrees with it, the odd one out is the other.
    if (compared > 0 && differences.length === compared && this.at(0).refused === '')
      this.at(0).refused = differences.join('; ')
  }

  /** Op hosts that are gone have nothing open any more. */
  async close(): Promise<void> {
    for (const { host, opened } of this.open.values()) {
      if (host.alive)
        await host.call('timing.close', { handles: [opened.handle] }, { timeout: 0, phase: '' })
    }
  }
}
