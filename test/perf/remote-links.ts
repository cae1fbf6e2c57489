import fs from 'node:fs'
import path from 'node:path'

import type { AppCallName, AppInput, AppOutput } from '../../electron/contract/app-calls'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { ownVersion } from '../../electron/engine/installation'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import type { NamedTarget } from '../../electron/engine/remote/targets'
import { AppSession } from '../../electron/session/app-session'
import { allCalls } from '../../electron/session/calls/all-calls'
import { answer } from '../../electron/session/calls/handle'
import { makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { nobody } from '../support/nobody'
import { slowLink } from '../support/slow-link'
import { missingSsh, startSshServer } from '../support/ssh-server'
import { thisMachine } from '../support/targets'
import { dagProgram } from './graph-programs'
import { hotCases } from './hot-edits'
import type { HotCase } from './hot-edits'
import { judged, row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

/** Milliseconds above an engine of this process that an edit may take until its call has an answer. */
const editGoals = { ssh: 60, far: 200 }
/** Milliseconds until a graph of 10,000 nodes has come over a link with 10 MB/s. */
const graphGoal = 2_000
/** Of the program: the compiler removes a third, as dead code. */
const graphOperators = 15_000

/** As people save: the plain build that follows a hot one is over by then. */
const betweenEdits = 5_000
const pause = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, betweenEdits))
}

/** An engine with a project of its own: of this process, or behind a target. */
interface Engine {
  name: string
  one: HotCase
  call<N extends AppCallName>(name: N, input: AppInput<N>): Promise<Result<AppOutput<N>>>
  close(): Promise<void>
}

type Target = (cache: TestCache) => NamedTarget

const behind = (cache: TestCache, words: readonly string[]): NamedTarget => {
  const { command, ...more } = thisMachine(cache)
  return { ...more, command: [...words, ...command] }
}

/** @param target undefined: an engine of this process */
async function start(name: string, target: Target | undefined): Promise<Engine> {
  const cache = makeTestCache()
  await changeSettings(cache.places.configFolder, { codeHelp: false })
  const [one] = hotCases(cache)
  if (!one) throw new Error('there is no case')
  const common = { name, one }
  if (target === undefined) {
    const session = new AppSession(testInstallation(cache), nobody, '')
    await session.workbench.applySettings()
    return {
      ...common,
      call: async (call, input) =>
        (await answer(session, allCalls, call, input)) as Result<AppOutput<typeof call>>,
      close: async () => {
        await session.close()
        cache.remove()
      },
    }
  }
  const client = unwrap(
    await connectEngine(target(cache), {
      version: ownVersion(root),
      keep: 60,
      seconds: 60,
      onQuestion: () => Promise.resolve(null),
      onLog: () => undefined,
      onLost: () => undefined,
    }),
  )
  return {
    ...common,
    call: (call, input) => client.call(call, input),
    close: async () => {
      await client.close()
      cache.remove()
    },
  }
}

/** As the window does it: the text is written, built and loaded, and the call of the Run panel made. */
async function edit(
  { call, one }: Engine,
  round: number,
): Promise<{ hot: boolean; milliseconds: number }> {
  const { folder } = one
  const file = { folder, path: path.relative(folder, one.file) }
  const { version: baseVersion } = unwrap(await call('file.read', file))
  const text = one.text(round, path.basename(folder))
  const started = performance.now()
  unwrap(await call('file.write', { ...file, text, baseVersion }))
  const built = unwrap(await call('operator.build', { folder, job: `build-${round}` }))
  const inputs = { x: { shape: [8] } }
  const request = { ...one.call(round), inputs } as never
  unwrap(await call('operator.run', { folder, job: `run-${round}`, request, timeout: 0 }))
  return { hot: built.build.hot, milliseconds: performance.now() - started }
}

async function sampleEdits(engines: readonly Engine[], rounds: number): Promise<number[][]> {
  // A text that was built before is not compiled again.
  let round = Math.floor(Date.now() / 1000) % 1e6
  for (const engine of engines) {
    unwrap(await engine.call('project.open', { folder: engine.one.folder }))
    for (let tries = 0; !(await edit(engine, (round += 1))).hot; tries += 1) {
      if (tries > 60) throw new Error(`${engine.name}: not built by the compile server`)
      await pause()
    }
  }
  const samples = engines.map((): number[] => [])
  // In turn: what else the machine does slows all alike.
  for (let each = 0; each < rounds; each += 1)
    for (const [index, engine] of engines.entries()) {
      samples[index]?.push((await edit(engine, (round += 1))).milliseconds)
      await pause()
    }
  return samples
}

async function editRows(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const missing = missingSsh()
  if (missing !== '') options.say(`no loopback ssh: ${missing}`)
  const server = missing === '' ? await startSshServer(path.join(cache.home, 'sshd')) : undefined
  const ssh = ['ssh', '-F', server?.configuration ?? '', 'gpu']
  const engines: Engine[] = []
  try {
    engines.push(await start('in this process', undefined))
    const far = slowLink({ roundTrip: 50, bytesPerSecond: 12.5e6 })
    engines.push(await start('with 50 ms round trips', (own) => behind(own, far)))
    if (server) engines.push(await start('over loopback ssh', (own) => behind(own, ssh)))
    const samples = await sampleEdits(engines, options.rounds ?? 15)
    const [local = []] = samples
    return engines.slice(1).flatMap(({ name }, index) => {
      const mine = samples[index + 1] ?? []
      const above = mine.map((one, round) => one - (local[round] ?? 0))
      const goal = name.includes('ssh') ? editGoals.ssh : editGoals.far
      const peer = { name: 'the same in this process', samples: local }
      return [
        row(`edit to callable ${name}`, 'ms', mine, peer),
        judged(row(`… above local`, 'ms', above), above, { goal }),
      ]
    })
  } finally {
    for (const engine of engines) await engine.close()
    await server?.stop()
    cache.remove()
  }
}

/** A project whose program has as many operators as the goal names. */
function writeGraphProject(folder: string): void {
  fs.writeFileSync(path.join(folder, 'program.py'), dagProgram(graphOperators).source)
  const manifest = { name: 'dag', sources: ['op.cpp'], program: 'program.py' }
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
}

async function graphRow({ rounds = 5 }: BenchmarkOptions): Promise<Row> {
  const link = slowLink({ roundTrip: 20, bytesPerSecond: 10e6 })
  const engines = [
    await start('in this process', undefined),
    await start('over 10 MB/s', (own) => behind(own, link)),
  ]
  try {
    const samples: number[][] = [[], []]
    let nodes = 0
    for (const { call, one } of engines) {
      writeGraphProject(one.folder)
      unwrap(await call('project.open', { folder: one.folder }))
      unwrap(await call('operator.build', { folder: one.folder, job: 'build' }))
    }
    for (let round = -1; round < rounds; round += 1)
      for (const [index, { call, one }] of engines.entries()) {
        const { folder } = one
        // Compiled programs are kept by their text.
        fs.appendFileSync(path.join(folder, 'program.py'), `# ${round}\n`)
        const request = { entry: 'dag', form: 'script' } as never
        const [seconds = 0] = await sample(1, async () => {
          const input = { folder, job: `capture-${round}`, request, timeout: 0 }
          const { capture, steps } = unwrap(await call('graph.capture', input))
          unwrap(await call('graph.read', { capture, step: 0 }))
          nodes = steps[0]?.nodes ?? 0
        })
        // The first loads the op host.
        if (round >= 0) samples[index]?.push(seconds * 1000)
      }
    const [local = [], far = []] = samples
    const peer = { name: 'the same in this process', samples: local }
    const name = `a graph of ${nodes} nodes over 10 MB/s`
    return judged(row(name, 'ms', far, peer), far, { goal: graphGoal })
  } finally {
    for (const engine of engines) await engine.close()
  }
}

/** What the window waits for while one types: its text is kept. Over a link that is as slow as one by satellite. */
async function typingRow({ rounds = 50 }: BenchmarkOptions): Promise<Row> {
  const cache = makeTestCache()
  const link = slowLink({ roundTrip: 200, bytesPerSecond: 1e6 })
  const { command, opsmith = '' } = behind(cache, link)
  await changeSettings(cache.places.configFolder, { targets: { far: { command, opsmith } } })
  const version = ownVersion(root)
  const local = await start('in this process', undefined)
  const session = new AppSession(testInstallation(cache), { ...nobody, version }, '')
  const remote = session.reachOthers()
  const [one] = hotCases(cache)
  const folder = one?.folder ?? ''
  const call = async (name: AppCallName, input: unknown): Promise<unknown> => {
    const here = (): Promise<Result<unknown>> => answer(session, allCalls, name, input)
    return unwrap(await remote.answer(name, input, here))
  }
  try {
    await call('project.open', { folder, target: 'far' })
    unwrap(await local.call('project.open', { folder: local.one.folder }))
    const text = '// a line of a source of 60 kB, as it is typed\n'.repeat(1_300)
    const [far, here]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      const draft = { path: 'op.cpp', text: `${text}${round}`, baseVersion: '' }
      far.push(...(await sample(1, async () => void (await call('draft.keep', { folder, draft })))))
      const input = { folder: local.one.folder, draft }
      here.push(
        ...(await sample(1, async () => void unwrap(await local.call('draft.keep', input)))),
      )
    }
    const milliseconds = (seconds: readonly number[]): number[] => seconds.map((s) => s * 1000)
    const peer = { name: 'the same in this process', samples: milliseconds(here) }
    return row('typed text kept, 200 ms and 1 MB/s', 'ms', milliseconds(far), peer)
  } finally {
    await session.close()
    await local.close()
    cache.remove()
  }
}

/** Edits, graphs and typing with an engine behind links that are as slow as networks are. */
export async function linkRows(options: BenchmarkOptions): Promise<Row[]> {
  options.say('edits')
  const edits = await editRows(options)
  options.say('graph')
  const graph = await graphRow(options)
  options.say('typing')
  return [...edits, graph, await typingRow(options)]
}
