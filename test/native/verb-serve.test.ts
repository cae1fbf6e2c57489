import { spawn } from 'node:child_process'
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import type { Asked, Answer } from '../../electron/contract/serve'
import { ownVersion } from '../../electron/engine/installation'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import type { EngineClient } from '../../electron/engine/remote/engine-client'
import { helloOf, sendHello } from '../../electron/engine/remote/message-stream'
import { NumberedMessages } from '../../electron/engine/remote/numbered-messages'
import type { NamedTarget } from '../../electron/engine/remote/targets'
import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { opsmithProgram, otherVersionProgram, thisMachine } from '../support/targets'
import { processesOf } from '../support/processes-of'

let cache: TestCache
let folder: string
const version = ownVersion(root)

beforeAll(async () => {
  cache = makeTestCache()
  // Each engine would start a compile server, which takes a core for ten seconds.
  await changeSettings(cache.places.configFolder, { hotCompile: false })
  folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const source = path.join(folder, 'op.cpp')
  // It prints, and with one dimension it does not end.
  const text = fs
    .readFileSync(source, 'utf8')
    .replace('#include <vector>', '#include <unistd.h>\n\n#include <cstdio>\n#include <vector>')
    .replace(
      'return 3 * x',
      'std::puts("printed by the operator");\n  std::fflush(stdout);\n  while (x.dim() == 1) pause();\n  return 3 * x',
    )
  fs.writeFileSync(source, text)
})
afterAll(() => {
  cache.remove()
})

/** Why there is none. */
const reasonOf = (result: Result<unknown>): string => (result.ok ? '' : result.error.message)

async function ended(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve) => child.once('close', resolve))
}

const request = (size: number[]): unknown => ({
  op: 'my_op::my_op',
  args: ['x', 'y'],
  inputs: { x: { shape: size }, y: { shape: size } },
})

/** Kills engines, and what connects with them. */
function killEngines(): void {
  for (const pid of processesOf(cache)) {
    try {
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (command.includes('serve')) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

/** Starts a call that does not end, and waits until it runs. */
async function endlessRun(
  engine: EngineClient,
  job: string,
): Promise<{ result: Promise<Result<unknown>> }> {
  const printed = new Promise<void>((resolve) => {
    let text = ''
    const stop = engine.on('host.output', (event) => {
      text += event.text
      if (!text.includes('printed by the operator')) return
      stop()
      resolve()
    })
  })
  unwrap(await engine.call('operator.build', { folder, job: `${job}-build` }))
  const input = { folder, job, request: request([2]) as never, timeout: 600 }
  const result = engine.call('operator.run', input)
  await Promise.race([printed, result.then((early) => expect.unreachable(reasonOf(early)))])
  return { result }
}

describe('opsmith serve', () => {
  let engine: EngineClient
  const asked: Asked[] = []
  const answers: Answer[] = []
  const lost: Result<never>[] = []
  let log = ''

  async function connect(target: NamedTarget): Promise<Result<EngineClient>> {
    return await connectEngine(target, {
      version,
      seconds: 60,
      onQuestion: (question) => {
        asked.push(question)
        return Promise.resolve(answers.shift() ?? null)
      },
      onLog: (text) => {
        log += text
      },
      onLost: (error) => lost.push(error),
    })
  }

  beforeAll(async () => {
    // A shell's profile that prints, without a newline at its end too.
    const target = thisMachine(cache)
    engine = unwrap(
      await connect({
        ...target,
        command: ['sh', '-c', 'printf "Welcome! "; exec "$@"', 'profile'],
      }),
    )
  })

  it('answers calls, and refuses wrong ones as main does', async () => {
    expect(unwrap(await engine.call('app.info', {}))).toMatchObject({ version, electron: '' })
    const wrong = await engine.call('file.read', { folder, path: 1 as unknown as string })
    expect(wrong).toMatchObject({ error: { code: 'request.invalid' } })
    const unknown = await engine.call('nothing' as 'app.info', {})
    expect(unknown).toMatchObject({ error: { message: 'There is no call named nothing.' } })
  })

  it('a folder that is not trusted is not built before the user trusts it', async () => {
    fs.writeFileSync(
      path.join(cache.places.dataFolder, 'trust.json'),
      JSON.stringify({ trusted: [], restricted: [] }),
    )
    expect(unwrap(await engine.call('project.open', { folder }))).toMatchObject({
      trust: 'unknown',
    })
    expect(await engine.call('operator.build', { folder, job: 'build-0' })).toMatchObject({
      error: { code: 'project.restricted' },
    })
    const trusted = await engine.call('trust.answer', { folder, trusted: true, parent: false })
    expect(unwrap(trusted).trust).toBe('trusted')
  })

  it('builds and runs a sample, with events on the way', async () => {
    let output = ''
    let printed = ''
    const stops = [
      engine.on('build.output', (event) => {
        output += event.text
      }),
      engine.on('host.output', (event) => {
        printed += event.text
      }),
    ]
    const built = unwrap(await engine.call('operator.build', { folder, job: 'build-1' }))
    expect(built.build.ok).toBe(true)
    expect(fs.existsSync(built.build.library)).toBe(true)
    expect(output).toContain('op.cpp')
    const ran = await engine.call('operator.run', {
      folder,
      job: 'run-1',
      request: request([2, 3]) as never,
      timeout: 0,
    })
    expect(unwrap(ran).outputs[0]).toMatchObject({ kind: 'tensor', shape: [2, 3] })
    await expect.poll(() => printed).toContain('printed by the operator')
    for (const stop of stops) stop()
  })

  it('a job is cancelled', async () => {
    const { result } = await endlessRun(engine, 'run-2')
    expect(unwrap(await engine.call('job.cancel', { job: 'run-2', byUser: true }))).toEqual({
      cancelled: true,
    })
    expect(await result).toMatchObject({ error: { code: 'cancelled' } })
  })

  it('a dialog is shown where the user is, and its answer is not believed blindly', async () => {
    answers.push('/chosen', 7)
    expect(unwrap(await engine.call('project.choose', { purpose: 'project' }))).toEqual({
      folder: '/chosen',
    })
    expect(asked).toMatchObject([
      { dialog: 'open', question: { properties: ['openDirectory', 'createDirectory'] } },
    ])
    // A number is no folder.
    expect(unwrap(await engine.call('project.choose', { purpose: 'project' }))).toBe(null)
  })

  it('close() ends it, and nothing is left', async () => {
    const { result } = await endlessRun(engine, 'run-3')
    await engine.close()
    expect(reasonOf(await result)).not.toBe('')
    // What is killed is gone a moment later.
    await expect.poll(() => processesOf(cache)).toEqual([])
    expect(lost).toEqual([])
    expect(log).not.toContain('bug')
  })

  it('another version, and a target without Opsmith, is an error in a sentence', async () => {
    const here = thisMachine(cache)
    const other = await connect({ ...here, opsmith: otherVersionProgram(cache, '9.9.9') })
    expect(other).toMatchObject({
      error: {
        message: `The Opsmith on here has version 9.9.9, but this Opsmith has version ${version}.`,
        hint: expect.stringContaining('need the same version of Opsmith') as string,
      },
    })
    expect(reasonOf(await connect({ ...here, opsmith: '/nothing/opsmith' }))).toBe(
      'The target here has no program /nothing/opsmith that it can run.',
    )
    expect(reasonOf(await connect({ ...here, command: ['sh', '-c', 'exit 3', 'nothing'] }))).toBe(
      'Opsmith did not start on the target here.',
    )
    expect(lost).toEqual([])
  })

  it('an engine that is killed is lost, and so are its calls', async () => {
    const killed = unwrap(await connect(thisMachine(cache)))
    unwrap(await killed.call('project.open', { folder }))
    const { result } = await endlessRun(killed, 'run-4')
    killEngines()
    expect(reasonOf(await result)).toBe('The Opsmith on here has ended.')
    expect(lost).toHaveLength(1)
    expect(reasonOf(await killed.call('app.info', {}))).toBe('The Opsmith on here has ended.')
    await killed.close()
    // What a killed engine had started ends a moment later.
    await expect.poll(() => processesOf(cache)).toEqual([])
  })
})

describe('the process of opsmith serve', () => {
  function start(): ChildProcessWithoutNullStreams {
    return spawn(opsmithProgram(cache), ['serve', '--stdio'])
  }

  it('ends with its op host when stdin is closed, even if nobody reads what it writes', async () => {
    const child = start()
    sendHello(child.stdin, helloOf(version))
    const writer = new NumberedMessages()
    writer.attach(child.stdin, 0)
    writer.send({ kind: 'call', id: 1, call: 'project.open', input: { folder } })
    await expect.poll(() => processesOf(cache).length).toBeGreaterThan(1)
    // More than a pipe holds.
    for (let id = 2; id < 40; id += 1)
      writer.send({ kind: 'call', id, call: 'project.manifestSchema', input: {} })
    await writer.drained()
    child.stdin.end()
    child.stdin.destroy()
    child.stderr.resume()
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
    await expect.poll(() => processesOf(cache)).toEqual([])
    child.stdout.destroy()
  })

  it('refuses an Opsmith of another version on stderr too', async () => {
    const child = start()
    sendHello(child.stdin, helloOf('9.9.9'))
    let said = ''
    child.stdout.resume()
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString()
    })
    expect(await ended(child)).toBe(2)
    expect(said).toContain('The Opsmith that called has version 9.9.9')
  })

  it('needs --stdio', async () => {
    const { code, stderr } = await opsmith(cache, 'serve')
    expect(code).toBe(2)
    expect(stderr).toContain('opsmith serve --stdio')
  })
})
