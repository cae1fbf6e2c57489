import path from 'node:path'

import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { ownVersion } from '../../electron/engine/installation'
import { connectEngine, EngineClient } from '../../electron/engine/remote/engine-client'
import { AppSession } from '../../electron/session/app-session'
import { allCalls } from '../../electron/session/calls/all-calls'
import { answer } from '../../electron/session/calls/handle'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { nobody } from '../support/nobody'
import { thisMachine } from '../support/targets'
import { judged, row, sample } from './measure'
import { runEdits } from './remote-edits'
import type { BenchmarkOptions, Row } from './measure'

const milliseconds = (seconds: readonly number[]): number[] => seconds.map((one) => one * 1000)

/** Milliseconds from the handshake of the target's command, which is a shell here. */
const readyGoal = 2_000

/** Milliseconds until a session is ready: the first time, and after its connection was cut. */
async function sampleKept(cache: TestCache): Promise<{ first: number[]; again: number[] }> {
  const first: number[] = []
  const again: number[] = []
  for (let round = 0; round < 5; round += 1) {
    let lost: () => void = () => undefined
    const isLost = new Promise<void>((resolve) => {
      lost = resolve
    })
    const client = new EngineClient(thisMachine(cache), {
      version: ownVersion(root),
      keep: 60,
      seconds: 60,
      onQuestion: () => Promise.resolve(null),
      onLog: () => undefined,
      onLost: () => {
        lost()
      },
    })
    const answered = async (): Promise<void> => void unwrap(await client.call('app.info', {}))
    const connecting = await sample(1, async () => {
      unwrap(await client.connect())
      await answered()
    })
    client.cut()
    await isLost
    const resuming = await sample(1, async () => {
      unwrap(await client.resume(new AbortController().signal))
      await answered()
    })
    first.push(...milliseconds(connecting))
    again.push(...milliseconds(resuming))
    await client.close()
  }
  return { first, again }
}

/** What calls cost through the pipe of `opsmith serve`, next to the same calls in this process. */
async function runCalls(options: BenchmarkOptions): Promise<Row[]> {
  const rounds = options.rounds ?? 200
  const cache = makeTestCache()
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const session = new AppSession(testInstallation(cache), nobody, '')
  await session.workbench.applySettings()
  options.say('connect')
  const connect = async (): ReturnType<typeof connectEngine> =>
    await connectEngine(thisMachine(cache), {
      version: ownVersion(root),
      seconds: 60,
      onQuestion: () => Promise.resolve(null),
      onLog: () => undefined,
      onLost: ({ ok }) => {
        throw new Error(`the engine is ${ok ? 'here' : 'lost'}`)
      },
    })
  const connecting = await sample(5, async () => {
    await unwrap(await connect()).close()
  })
  const kept = await sampleKept(cache)
  const engine = unwrap(await connect())
  const here = async (name: string, input: unknown): Promise<Result<unknown>> =>
    await answer(session, allCalls, name, input)
  try {
    unwrap(await engine.call('project.open', { folder }))
    unwrap(await here('project.open', { folder }))
    const rows: Row[] = [
      row('engine started, first answer, engine ended', 'ms', milliseconds(connecting)),
      judged(row('an engine of its own started, first answer', 'ms', kept.first), kept.first, {
        goal: readyGoal,
      }),
      judged(row('connected again after a lost connection', 'ms', kept.again), kept.again, {
        goal: readyGoal,
      }),
    ]
    const calls = [
      ['host.state', {}],
      ['file.read', { folder, path: 'op.cpp' }],
      ['project.manifestSchema', {}],
    ] as const
    for (const [name, input] of calls) {
      options.say(name)
      const through: number[] = []
      const direct: number[] = []
      // In turn: what else the machine does slows both alike.
      for (let round = 0; round < rounds; round += 1) {
        through.push(
          ...(await sample(1, async () => void unwrap(await engine.call(name, input as never)))),
        )
        direct.push(...(await sample(1, async () => void unwrap(await here(name, input)))))
      }
      const peer = { name: 'the same call in this process', samples: milliseconds(direct) }
      rows.push(row(`${name} through a pipe`, 'ms', milliseconds(through), peer))
    }
    return rows
  } finally {
    await engine.close()
    await session.close()
    cache.remove()
  }
}

const parts = { calls: runCalls, 'edits and a graph': runEdits }

export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const { only = '' } = options
  const rows: Row[] = []
  for (const [name, part] of Object.entries(parts))
    if (name.includes(only)) rows.push(...(await part(options)))
  return rows
}
