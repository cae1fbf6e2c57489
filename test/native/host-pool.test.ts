import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it, vi } from 'vitest'

import { inputSpec } from '../../electron/contract/manifest'
import type { Result } from '../../electron/contract/outcome'
import type { RunReport } from '../../electron/contract/run'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench({ inWindow: true })

/** The operator makes the first file when it holds its call, and goes on when the test has made the second. */
const [begunFile, goOnFile] = [path.join(cache.home, 'begun'), path.join(cache.home, 'go-on')]
const source = `
#include <torch/library.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
at::Tensor wait(const at::Tensor& x, bool holds) {
  if (holds) {
    std::ofstream("${begunFile}");
    while (!std::filesystem::exists("${goOnFile}"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return x + VERSION;
}
TORCH_LIBRARY(slow, m) { m.def("wait(Tensor x, bool holds) -> Tensor", wait); }
`

let folder: string

/** A project whose operator takes as long as the test wants, and adds the version of its source. */
async function build(version: number): Promise<string> {
  fs.writeFileSync(path.join(folder, 'op.cpp'), source.replace('VERSION', String(version)))
  const built = await workbench.builds.build(folder)
  if (!built.ok) throw new Error(built.error.message)
  expect(built.value.ok).toBe(true)
  return built.value.loadPath
}

/** Version 1 is built last, and the later build of the other one comes from the cache: no call waits for a compiler. */
async function makeReady(version: number): Promise<void> {
  await build(version)
  await build(1)
}

const call = (
  holds = false,
  signal?: AbortSignal,
  isBackground = false,
): Promise<Result<RunReport>> =>
  workbench.runs.run(
    folder,
    {
      op: 'slow::wait',
      args: ['x', holds],
      inputs: { x: inputSpec.parse({ shape: [2], distribution: 'zeros' }) },
      reference: 'x + 1',
    },
    { timeout: 60, isBackground, ...(signal && { signal }) },
  )

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A call that lasts until goOn(), or until its op host ends. */
function hold(signal?: AbortSignal, isBackground = false): Promise<Result<RunReport>> {
  for (const file of [begunFile, goOnFile]) fs.rmSync(file, { force: true })
  return call(true, signal, isBackground)
}

/** The op host is in the operator that was asked to hold. */
const underway = (): Promise<void> => expect.poll(() => fs.existsSync(begunFile)).toBe(true)

function goOn(): void {
  fs.writeFileSync(goOnFile, '')
}

const matches = (result: Result<RunReport>): boolean[] | string =>
  result.ok ? result.value.comparisons.map((one) => one.matches) : result.error.message

beforeAll(async () => {
  folder = path.join(cache.home, 'slow')
  fs.mkdirSync(folder)
  fs.writeFileSync(
    path.join(folder, 'opsmith.json'),
    JSON.stringify({ name: 'slow', sources: ['op.cpp'] }),
  )
  await build(1)
})

describe('a call that is cancelled', () => {
  it('cancelling a call leaves the calls that wait behind it', async () => {
    expect(matches(await call())).toEqual([true])
    const stop = new AbortController()
    const stopped = hold(stop.signal)
    await underway()
    const behind = call()
    await pause(1000)
    stop.abort()
    expect(await stopped).toMatchObject({ error: { code: 'cancelled' } })
    expect(matches(await behind)).toEqual([true])
  })

  it("a call that arrives while the cancelled call's process ends is made", async () => {
    const stop = new AbortController()
    const stopped = hold(stop.signal)
    await underway()
    stop.abort()
    const after = await Promise.all([call(), pause(5).then(() => call())])
    expect(after.map(matches)).toEqual([[true], [true]])
    expect(await stopped).toMatchObject({ error: { code: 'cancelled' } })
  })

  it('restarting the op host cancels all of its calls', async () => {
    const asked = vi.spyOn(workbench.hosts, 'call')
    const first = hold()
    await underway()
    const second = call()
    const runs = (): number => asked.mock.calls.filter(([name]) => name === 'operator.run').length
    await expect.poll(runs).toBe(2)
    asked.mockRestore()
    await workbench.hosts.restart()
    expect(await first).toMatchObject({ error: { code: 'cancelled' } })
    expect(await second).toMatchObject({ error: { code: 'cancelled' } })
  })
})

/** Of the op host in use: what its session is weighed by; undefined where the kernel does not weigh sessions. */
function niceness(): number | undefined {
  const file = `/proc/${workbench.hosts.state().pid}/autogroup`
  if (!fs.existsSync(file)) return undefined
  return Number(/nice (-?\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1])
}

describe('calls that nobody waits for', () => {
  it('have a lower priority, until one is asked for', async ({ skip }) => {
    expect(matches(await call())).toEqual([true])
    if (niceness() === undefined) skip('this kernel does not weigh sessions')
    await expect.poll(niceness).toBe(0)
    const behind = hold(undefined, true)
    await expect.poll(niceness).toBe(10)
    const asked = call()
    await expect.poll(niceness).toBe(0)
    // An op host that waits for its turn begins two seconds after the load.
    await pause(1500)
    goOn()
    expect(matches(await behind)).toEqual([true])
    expect(matches(await asked)).toEqual([true])
    // The op host that waits for its turn loads libtorch in the background, and is taken into use by a restart.
    await workbench.hosts.restart()
    expect(matches(await call())).toEqual([true])
    await expect.poll(niceness).toBe(0)
  })
})

describe('loading a library', () => {
  it('several calls at once replace the older library once, in the same process', async () => {
    await build(1)
    expect(matches(await call())).toEqual([true])
    const newer = await build(2)
    const { generation } = workbench.hosts.state()
    const [one, two] = await Promise.all([call(), call()])
    expect([one, two].map(matches)).toEqual([[false], [false]])
    expect((await workbench.hosts.load(newer, { timeout: 60 })).ok).toBe(true)
    expect(workbench.hosts.state().generation).toBe(generation)
  })

  it('a new library waits for the running call of the older one, and later calls wait for the library', async () => {
    await makeReady(3)
    const slow = hold()
    await underway()
    await build(3)
    const after = call()
    await pause(1000)
    goOn()
    expect(matches(await slow)).toEqual([true])
    expect(matches(await after)).toEqual([false])
  })

  it('cancelling the load of a library ends the wait for it', async () => {
    await makeReady(4)
    const slow = hold()
    await underway()
    await build(4)
    const stop = new AbortController()
    const loading = workbench.libraries.load(folder, { timeout: 60, signal: stop.signal })
    const behind = call(false, stop.signal)
    await pause(500)
    stop.abort()
    expect(await loading).toMatchObject({ error: { code: 'cancelled' } })
    expect(await behind).toMatchObject({ error: { code: 'cancelled' } })
    goOn()
    expect(matches(await slow)).toEqual([true])
    expect(matches(await call())).toEqual([false])
  })
})
