import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { AppCallName, AppEvent, AppInput, AppOutput } from '../../electron/contract/app-calls'
import type { OpsmithBridge } from '../../electron/contract/bridge'
import { gradcheckOptions } from '../../electron/contract/gradcheck'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

type Progress = AppEvent<'gradcheck.progressed'>

let cache: TestCache
let folder: string
let app: App

/** Through the window's own door: preload, IPC, main, engine and op host. */
async function ask<N extends AppCallName>(
  name: N,
  input: AppInput<N>,
): Promise<{ result: Result<AppOutput<N>>; progress: Progress[] }> {
  return (await app.page.evaluate(
    async ([asked, given]) => {
      const bridge = (window as unknown as { opsmith: OpsmithBridge }).opsmith
      const progress: unknown[] = []
      const stop = bridge.on('gradcheck.progressed', (event) => progress.push(event))
      try {
        return { result: await bridge.call(asked as 'host.state', given as never), progress }
      } finally {
        stop()
      }
    },
    [name, input] as const,
  )) as { result: Result<AppOutput<N>>; progress: Progress[] }
}

function requestOf(options: object = {}): AppInput<'gradcheck.run'>['request'] {
  return {
    op: 'sigmoid::sigmoid',
    args: ['x'],
    inputs: {},
    secondOrder: false,
    options: gradcheckOptions.parse(options),
    keepJacobians: false,
  }
}

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
  app = await App.start(cache, folder)
  const built = await ask('operator.build', { folder, job: 'build' })
  expect(unwrap(built.result).build.ok).toBe(true)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

describe("the window's calls of gradcheck", () => {
  it('run one, whose Jacobians can be paged', async () => {
    const request = { ...requestOf(), keepJacobians: true }
    const { result } = await ask('gradcheck.run', { folder, job: 'one', request, timeout: 0 })
    const report = unwrap(result)
    expect(report.ok).toBe(true)
    expect(report.error).toBeLessThan(1e-8)
    const handle = report.findings.find((finding) => finding.analytical)?.analytical?.handle ?? -1
    const page = await ask('tensor.page', {
      ...{ handle, index: [], rowStart: 0, rowCount: 2, columnStart: 0, columnCount: 2 },
    })
    const [first = 0, second] = unwrap(page.result).values
    expect(first).toBeGreaterThan(0)
    expect(second).toBe(0)
  })

  it('run all of opsmith.json, each told as it is done', async () => {
    const { result, progress } = await ask('gradcheck.runAll', { folder, job: 'all' })
    const outcomes = unwrap(result)
    expect(outcomes.every((outcome) => outcome.asExpected)).toBe(true)
    expect(progress.map((event) => event.outcome?.entry)).toEqual(outcomes.map((_, at) => at))
    expect(progress.every((event) => event.job === 'all')).toBe(true)
  })

  it('sweep eps, each point told as it is made', async () => {
    const { result, progress } = await ask('gradcheck.sweep', {
      ...{ folder, job: 'sweep', request: requestOf(), timeout: 0 },
      ...{ eps: [1e-3, 1e-4], dtypes: ['float32', 'float64'] },
    })
    const verdicts = unwrap(result).curves.map((curve) => curve.points.map((point) => point.ok))
    expect(verdicts).toEqual([
      [true, false],
      [true, true],
    ])
    expect(progress.map((event) => event.point?.eps)).toEqual([1e-3, 1e-4, 1e-3, 1e-4])
  })

  it('search random points, and keep what was found', async () => {
    const request = requestOf({ eps: 1e-4, atol: 1e-12, rtol: 1e-9 })
    const { result, progress } = await ask('gradcheck.search', {
      ...{ folder, job: 'search', request, timeout: 0 },
      ...{ points: 20, firstSeed: 50 },
    })
    const found = unwrap(result)
    expect(progress.at(-1)).toMatchObject({ done: 20, total: 20 })
    expect(found.failed).toBeGreaterThan(0)
    const { keepJacobians: _not, ...kept } = { ...request, inputs: found.inputs }
    const entry = await ask('gradcheck.keep', { folder, request: kept, name: '', expect: 'failed' })
    expect(unwrap(entry.result).added).toBe(true)
    const text = fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8')
    expect(text).toContain(`"seed": ${found.seeds['x'] ?? ''}`)
    expect(text).toContain('// Our sigmoid and libtorch')
  })

  it('tell the history of a check', async () => {
    const { keepJacobians: _not, ...request } = requestOf()
    const { result } = await ask('gradcheck.history', { folder, request })
    expect(unwrap(result)).toHaveLength(1)
  })

  it('stop a search that would take minutes', async () => {
    const searching = ask('gradcheck.search', {
      ...{ folder, job: 'long', request: requestOf(), timeout: 0 },
      ...{ points: 100_000, firstSeed: 0 },
    })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    unwrap((await ask('job.cancel', { job: 'long' })).result)
    const { result, progress } = await searching
    expect(result.ok ? '' : result.error.code).toBe('cancelled')
    expect(progress.length).toBeGreaterThan(2)
    // A step of some milliseconds is not an event each.
    expect(progress.length).toBeLessThan(60)
  })

  it('are answered for the open project only', async () => {
    const { result } = await ask('gradcheck.runAll', { folder: root, job: 'other' })
    expect(result.ok ? '' : result.error.code).toBe('request.invalid')
  })
})
