import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { AppCallName, AppInput, AppOutput } from '../../electron/contract/app-calls'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { ownVersion } from '../../electron/engine/installation'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import { AppSession } from '../../electron/session/app-session'
import { allCalls } from '../../electron/session/calls/all-calls'
import { answer } from '../../electron/session/calls/handle'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { nobody } from '../support/nobody'
import { slowLink } from '../support/slow-link'
import { missingSsh, startSshServer } from '../support/ssh-server'
import { opsmithProgram } from '../support/targets'
import { dagProgram } from './graph-programs'
import { judged, row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

/** Milliseconds that an edit may take longer than on this machine: over ssh, and over a link with 50 ms round trips. */
const sshGoal = 60
const farGoal = 200
/** Milliseconds until the graph of 10,000 nodes is here, over 10 MB/s. */
const graphGoal = 2_000
/** Milliseconds between saves: people type in them, and the plain build of the save before ends. */
const betweenSaves = 6_000

/** An engine, and how the window asks it. */
interface Engine {
  name: string
  folder: string
  close: () => Promise<void>
  call: <N extends AppCallName>(name: N, input: AppInput<N>) => Promise<Result<AppOutput<N>>>
}

async function localEngine(cache: TestCache, folder: string): Promise<Engine> {
  const session = new AppSession(testInstallation(cache), nobody, '')
  await session.workbench.applySettings()
  return {
    name: 'here',
    folder,
    close: async () => session.close(),
    call: async (name, input) => (await answer(session, allCalls, name, input)) as never,
  }
}

/** @param command words that run a shell of the other machine */
async function remoteEngine(
  cache: TestCache,
  folder: string,
  name: string,
  command: readonly string[],
): Promise<Engine> {
  const target = { name, command: [...command], opsmith: opsmithProgram(cache) }
  const engine = unwrap(
    await connectEngine(target, {
      version: ownVersion(root),
      seconds: 120,
      onQuestion: () => Promise.resolve(null),
      onLog: () => undefined,
      onLost: () => undefined,
    }),
  )
  return {
    name,
    folder,
    close: async () => engine.close(),
    call: async (one, input) => engine.call(one, input),
  }
}

/** Milliseconds from the save of an edit until its operator can be called, as the window asks for it. */
async function sampleEdit({ call, folder, name }: Engine, round: number): Promise<number> {
  const file = { folder, path: 'op.cpp' }
  const before = unwrap(await call('file.read', file))
  // The text of a round is new to each engine: no cache has its object.
  const text = before.text.replace(
    /return [^;]*1 \/ /,
    `return (${round} + ${name.length}e-6) * 1 / `,
  )
  if (text === before.text) throw new Error('samples/sigmoid no longer has the line to edit')
  const [seconds = 0] = await sample(1, async () => {
    unwrap(await call('file.write', { ...file, text, baseVersion: before.version }))
    const { build, load } = unwrap(await call('operator.build', { folder, job: `edit-${round}` }))
    if (!build.ok || !load) throw new Error(`the edit was not built: ${JSON.stringify(build)}`)
  })
  return seconds * 1000
}

async function open({ call, folder }: Engine): Promise<void> {
  unwrap(await call('project.open', { folder }))
  unwrap(await call('trust.answer', { folder, trusted: true, parent: false }))
  unwrap(await call('operator.build', { folder, job: 'first' }))
}

async function edits(engines: readonly Engine[], options: BenchmarkOptions): Promise<Row[]> {
  const rounds = options.rounds ?? 8
  const taken = engines.map((): number[] => [])
  for (const engine of engines) await open(engine)
  // The first edit of each waits for its compile server.
  for (let round = -1; round < rounds; round += 1) {
    options.say(`edit ${round + 1} of ${rounds}`)
    for (const [index, engine] of engines.entries()) {
      await pause(round < 0 ? 4 * betweenSaves : betweenSaves)
      const milliseconds = await sampleEdit(engine, round + 2)
      if (round >= 0) taken[index]?.push(milliseconds)
    }
  }
  const [here = [], ...others] = taken
  const peer = { name: 'the same edit here', samples: here }
  return others.flatMap((samples, index) => {
    const name = engines[index + 1]?.name ?? ''
    const more = samples.map((one, round) => one - (here[round] ?? Number.NaN))
    return [
      row(`edit to callable, ${name}`, 'ms', samples, peer),
      judged(row(`longer than here, ${name}`, 'ms', more), more.map(Math.abs), {
        goal: index === 0 ? sshGoal : farGoal,
      }),
    ]
  })
}

async function graphs(engine: Engine, here: Engine, options: BenchmarkOptions): Promise<Row[]> {
  const program = dagProgram(10_000)
  options.say(`graph of ${program.name}`)
  const request = { entry: program.entry, form: 'script' as const }
  const sampleOf = async ({ call, folder }: Engine): Promise<number[]> => {
    fs.writeFileSync(path.join(folder, 'program.py'), program.source)
    unwrap(await call('operator.build', { folder, job: 'graph' }))
    const seconds = await sample(5, async () => {
      const ask = { folder, job: 'graph', request: request as never, timeout: 0 }
      const { capture } = unwrap(await call('graph.capture', ask))
      unwrap(await call('graph.release', { captures: [capture] }))
    })
    return seconds.map((one) => one * 1000)
  }
  const peer = { name: 'the same graph here', samples: await sampleOf(here) }
  const samples = await sampleOf(engine)
  const name = `graph of 10,000 nodes, ${engine.name}`
  return [judged(row(name, 'ms', samples, peer), samples, { goal: graphGoal })]
}

/** What another machine costs: edits over ssh and over a far link to a shell, and a large graph over a slow link. */
export async function runEdits(options: BenchmarkOptions): Promise<Row[]> {
  const missing = missingSsh()
  if (missing !== '') throw new Error(`edits over ssh: ${missing}`)
  const caches: TestCache[] = []
  /** Engines do not share what they compiled. */
  const place = (): [TestCache, string] => {
    const cache = makeTestCache()
    caches.push(cache)
    return [cache, copyProject(path.join(root, 'samples/sigmoid'), cache)]
  }
  const engines: Engine[] = []
  const [cache, folder] = place()
  const server = await startSshServer(path.join(cache.home, 'ssh'))
  const ssh = ['ssh', '-F', server.configuration, 'gpu']
  const far = slowLink({ roundTrip: 50, bytesPerSecond: 1e8 })
  const slow = slowLink({ roundTrip: 10, bytesPerSecond: 1e7 })
  try {
    engines.push(await localEngine(cache, folder))
    engines.push(await remoteEngine(...place(), 'over ssh', ssh))
    engines.push(await remoteEngine(...place(), 'over a link with 50 ms', [...far, 'sh']))
    const rows = await edits(engines, options)
    const slowEngine = await remoteEngine(...place(), 'over 10 MB/s', [...slow, 'sh'])
    engines.push(slowEngine)
    await open(slowEngine)
    const [here] = engines
    return here ? [...rows, ...(await graphs(slowEngine, here, options))] : rows
  } finally {
    for (const engine of engines) await engine.close()
    await server.stop()
    for (const one of caches) one.remove()
  }
}
