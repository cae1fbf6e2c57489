import { describe, expect, it } from 'vitest'

import type { SearchReport } from '../../electron/contract/gradcheck'
import { gradcheckEntry, inputSpec } from '../../electron/contract/manifest'
import type { EndedShard, Shard } from '../../electron/contract/shards'
import { GradcheckResults, shardsOfGradchecks } from '../../electron/engine/check/gradcheck-shards'
import { findingOf, outcomeOf, reportOf } from './gradcheck-samples'

const x = inputSpec.parse({ shape: [4], distribution: 'randn' })
const entries = [
  gradcheckEntry.parse({ op: 'f', args: ['x'] }),
  gradcheckEntry.parse({ op: 'g', args: ['x'], expect: 'failed' }),
]

/** 64 points of f in 16 parts, with the gradchecks of f and of g. */
const shards = shardsOfGradchecks(
  entries,
  { inputs: { x } },
  { timeout: 5, points: 64, firstSeed: 0, jobs: 2 },
)

function ended(shard: Shard, value: object, node = 'node1'): EndedShard {
  const facts = { node, processor: 'Xeon', cores: 8, pid: 1 }
  const outcome = { ok: true, value } as const
  return { shard, result: { shard: 0, attempt: 1, facts, seconds: 1, outcome } }
}

/** What a part of the search found. */
function partOf(place: number, more: Partial<SearchReport> = {}): object {
  const report = {
    op: 'f',
    seconds: 2,
    tried: 4,
    failed: 0,
    seeds: { x: place },
    inputs: { x: { ...x, seed: place } },
    excess: -1,
    maxAbsolute: place / 100,
    ...more,
  }
  return { name: 'f(x)', report }
}

/** Joins the parts in this order. */
function joined(places: readonly number[], more: (place: number) => Partial<SearchReport>) {
  const results = new GradcheckResults()
  const parts = shards.slice(1, 17)
  for (const place of places) {
    const part = parts[place]
    if (part) results.add(ended(part, partOf(place, more(place)), `node${place % 3}`))
  }
  return results.searches
}

const forward = Array.from({ length: 16 }, (_, place) => place)

describe('gradchecks in shards', () => {
  it('a gradcheck that must fail is made, but not searched', () => {
    const names = shards.map(({ name }) => name)
    expect(names[0]).toBe('f(x)')
    expect(names.slice(1, 3)).toEqual(['f(x), 4 points from seed 0', 'f(x), 4 points from seed 4'])
    expect(names.slice(17)).toEqual(['g(x)'])
  })

  it('the parts of a search are one search, in whatever order they end', () => {
    const fails = (place: number): Partial<SearchReport> =>
      place === 5 ? { failed: 3, excess: 0.5, maxAbsolute: 0.01 } : {}
    for (const order of [forward, forward.toReversed()]) {
      const [search, ...others] = joined(order, fails)
      expect(others).toEqual([])
      expect(search).toMatchObject({ searched: entries[0], index: 0, name: 'f(x)' })
      expect([...(search?.nodes ?? [])].sort()).toEqual(['node0', 'node1', 'node2'])
      // The point outside its tolerance is worse than larger errors inside.
      expect(search?.report).toMatchObject({ tried: 64, failed: 3, seconds: 32, seeds: { x: 5 } })
    }
  })

  it('a point that ended its op host is worse than all others', () => {
    const error = { code: 'host.crashed', message: 'SIGSEGV' } as const
    const crashes = (place: number): Partial<SearchReport> =>
      place === 3
        ? { failed: 1, tried: 1, excess: Infinity, maxAbsolute: null, error }
        : { failed: 4, excess: 100 }
    for (const order of [forward, forward.toReversed()])
      expect(joined(order, crashes)[0]?.report).toMatchObject({
        error,
        seeds: { x: 3 },
        tried: 61,
        failed: 61,
      })
  })

  it('a gradcheck is no part of a search, and a shard without a result is nothing', () => {
    const results = new GradcheckResults()
    const [own] = shards
    if (!own) throw new Error('there are shards')
    const outcome = outcomeOf(0, reportOf([findingOf({})]))
    expect(results.add(ended(own, { outcome }, 'node7'))).toMatchObject({ node: 'node7' })
    expect(results.add({ shard: own })).toBeUndefined()
    expect(results.searches).toEqual([])
  })
})
