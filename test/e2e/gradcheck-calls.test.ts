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
): Promise<Result<AppOutput<N>>> {
  return (await app.page.evaluate(
    async ([asked, given]) => {
      const bridge = (window as unknown as { opsmith: OpsmithBridge }).opsmith
      return await bridge.call(asked as 'host.state', given as never)
    },
    [name, input] as const,
  )) as Result<AppOutput<N>>
}

type Listening = { opsmith: OpsmithBridge; gradcheckEvents?: unknown[] }

/** What the window was told of a job so far; an answer may come before its last events. */
async function toldOf(job: string): Promise<Progress[]> {
  const events = await app.page.evaluate(() => {
    return (window as unknown as Listening).gradcheckEvents ?? []
  })
  return (events as Progress[]).filter((event) => event.job === job)
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
  await app.page.evaluate(() => {
    const events: unknown[] = []
    const listening = window as unknown as Listening
    listening.gradcheckEvents = events
    listening.opsmith.on('gradcheck.progressed', (event) => events.push(event))
  })
  const built = await ask('operator.build', { folder, job: 'build' })
  expect(unwrap(built).build.ok).toBe(true)
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

describe('the gradcheck calls of the window', () => {
  it('gradcheck.run gives a report whose Jacobians can be read in pages', async () => {
    const request = { ...requestOf(), keepJacobians: true }
    const result = await ask('gradcheck.run', { folder, job: 'one', request, timeout: 0 })
    const report = unwrap(result)
    expect(report.ok).toBe(true)
    expect(report.error).toBeLessThan(1e-8)
    const handle = report.findings.find((finding) => finding.analytical)?.analytical?.handle ?? -1
    const page = await ask('tensor.page', {
      handle,
      index: [],
      rowStart: 0,
      rowCount: 2,
      columnStart: 0,
      columnCount: 2,
    })
    const [first = 0, second] = unwrap(page).values
    expect(first).toBeGreaterThan(0)
    expect(second).toBe(0)
  })

  it('gradcheck.runAll sends an event for each entry of opsmith.json when its check ends', async () => {
    const result = await ask('gradcheck.runAll', { folder, job: 'all', isBackground: false })
    const outcomes = unwrap(result)
    expect(outcomes.every((outcome) => outcome.asExpected)).toBe(true)
    await expect
      .poll(async () => (await toldOf('all')).map((event) => event.outcome?.entry))
      .toEqual(outcomes.map((_, at) => at))
  })

  it('gradcheck.sweep sends an event for each eps when its check ends', async () => {
    const result = await ask('gradcheck.sweep', {
      folder,
      job: 'sweep',
      request: requestOf(),
      timeout: 0,
      eps: [1e-3, 1e-4],
      dtypes: ['float32', 'float64'],
    })
    const verdicts = unwrap(result).curves.map((curve) => curve.points.map((point) => point.ok))
    expect(verdicts).toEqual([
      [true, false],
      [true, true],
    ])
    await expect
      .poll(async () => (await toldOf('sweep')).map((event) => event.point?.eps))
      .toEqual([1e-3, 1e-4, 1e-3, 1e-4])
  })

  it('gradcheck.search finds a failing point, and gradcheck.keep writes it to opsmith.json', async () => {
    const request = requestOf({ eps: 1e-4, atol: 1e-12, rtol: 1e-9 })
    const result = await ask('gradcheck.search', {
      folder,
      job: 'search',
      request,
      timeout: 0,
      points: 20,
      firstSeed: 50,
    })
    const found = unwrap(result)
    await expect
      .poll(async () => (await toldOf('search')).at(-1))
      .toMatchObject({ done: 20, total: 20 })
    expect(found.failed).toBeGreaterThan(0)
    const { keepJacobians: _not, ...kept } = { ...request, inputs: found.inputs }
    const entry = await ask('gradcheck.keep', { folder, request: kept, name: '', expect: 'failed' })
    expect(unwrap(entry).added).toBe(true)
    const text = fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8')
    expect(text).toContain(`"seed": ${found.seeds['x'] ?? ''}`)
    expect(text).toContain('// The same eight verdicts for our sigmoid')
  })

  it('gradcheck.history gives the results of a check in earlier builds', async () => {
    const { keepJacobians: _not, ...request } = requestOf()
    const result = await ask('gradcheck.history', { folder, request })
    expect(unwrap(result)).toHaveLength(1)
  })

  it('job.cancel stops a search that would take minutes', async () => {
    const started = Date.now()
    const searching = ask('gradcheck.search', {
      folder,
      job: 'long',
      request: requestOf(),
      timeout: 0,
      points: 100_000,
      firstSeed: 0,
    })
    await expect.poll(async () => (await toldOf('long')).at(-1)?.done ?? 0).toBeGreaterThan(300)
    unwrap(await ask('job.cancel', { job: 'long' }))
    const result = await searching
    expect(result.ok ? '' : result.error.code).toBe('cancelled')
    const progress = await toldOf('long')
    expect(progress.length).toBeGreaterThan(2)
    // A step of some milliseconds is not an event each: one in 50 ms.
    expect(progress.length).toBeLessThan((Date.now() - started) / 45 + 2)
  })

  it('the calls refuse a project that is not open', async () => {
    const result = await ask('gradcheck.runAll', {
      folder: root,
      job: 'other',
      isBackground: false,
    })
    expect(result.ok ? '' : result.error.code).toBe('request.invalid')
  })
})
