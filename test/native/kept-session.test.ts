import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { AppEventName, AppInput } from '../../electron/contract/app-calls'
import { err, unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { ownVersion } from '../../electron/engine/installation'
import { EngineClient, isGone } from '../../electron/engine/remote/engine-client'
import type { EngineSession } from '../../electron/engine/remote/engine-client'
import type { NamedTarget } from '../../electron/engine/remote/targets'
import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { opsmithProgram } from '../support/targets'
import { processesOf } from '../support/processes-of'

const version = ownVersion(root)
let cache: TestCache
let folder: string
/** Where the engine's socket is. */
let run: string
let target: NamedTarget
const never = new AbortController().signal

beforeAll(() => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const base = path.join(cache.home, 'run')
  fs.mkdirSync(base, { mode: 0o700 })
  run = path.join(base, 'opsmith')
  cache.environment['XDG_RUNTIME_DIR'] = base
  target = { name: 'here', command: ['sh'], opsmith: opsmithProgram(cache) }
})
afterAll(() => {
  cache.remove()
})

/** The engine itself, not what connects with it. */
function enginePids(): string[] {
  const found = processesOf(cache).filter((pid) => procFile(pid, 'cmdline').includes('--engine'))
  // A child has these words too until it becomes another program.
  return found.filter((pid) => {
    const parent = /^PPid:\s*(\d+)/m.exec(procFile(pid, 'status'))?.[1] ?? ''
    return !found.includes(parent)
  })
}

/** "" of a process that has ended. */
function procFile(pid: string, name: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

const messageOf = (result: Result<unknown>): string => (result.ok ? '' : result.error.message)

describe('an engine whose connection is cut', () => {
  let engine: EngineClient
  let lost: { message: string; isKept: boolean }[]
  let wake: (() => void) | undefined

  const lostAgain = async (): Promise<void> => {
    if (lost.length > 0) return
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }

  async function start(keep = 60): Promise<void> {
    lost = []
    engine = new EngineClient(target, {
      version,
      keep,
      seconds: 60,
      onQuestion: () => Promise.resolve(null),
      onLog: () => undefined,
      onLost: (error, isKept) => {
        lost.push({ message: messageOf(error), isKept })
        wake?.()
      },
    })
    unwrap(await engine.connect())
  }

  beforeEach(() => () => engine.close())

  it('goes on: cut after every message of a build, a run and a gradcheck, nothing is lost or comes twice', async () => {
    await start()
    unwrap(await engine.call('project.open', { folder }))
    const [pid] = enginePids()
    let cuts = 0
    let reconnecting: Promise<void> | undefined
    let isOver = false
    const texts: string[] = []
    const names: string[] = []
    const cut = (): void => {
      if (reconnecting || isOver) return
      cuts += 1
      engine.cut()
      reconnecting = lostAgain().then(async () => {
        lost = []
        unwrap(await engine.resume(never))
        reconnecting = undefined
      })
    }
    const seen: AppEventName[] = [
      'build.progressed',
      'build.output',
      'host.changed',
      'host.output',
      'gradcheck.progressed',
    ]
    for (const name of seen)
      engine.on(name, (event) => {
        names.push(name)
        if ('text' in event) texts.push(event.text ?? '')
        cut()
      })
    const inputs = { x: { shape: [2, 3] }, y: { shape: [2, 3] } }
    const request = { op: 'my_op::my_op', args: ['x', 'y'], inputs } as never
    const built = engine.call('operator.build', { folder, job: 'job-1' })
    cut()
    expect(unwrap(await built).build.ok).toBe(true)
    await reconnecting
    const ran = engine.call('operator.run', { folder, job: 'job-2', request, timeout: 0 })
    cut()
    expect(unwrap(await ran).outputs[0]).toMatchObject({ shape: [2, 3] })
    await reconnecting
    const checked = engine.call('gradcheck.runAll', { folder, job: 'job-3', isBackground: false })
    cut()
    expect(unwrap(await checked).length).toBeGreaterThan(0)
    isOver = true
    await reconnecting
    expect(cuts).toBeGreaterThan(3)
    expect(names).toContain('host.changed')
    expect(texts.join('').match(/opsmith registration:/g)).toHaveLength(1)
    expect(enginePids()).toEqual([pid ?? 'none'])
  })

  it('its socket is for its user alone, and close() ends it', async () => {
    await start()
    const sockets = (): string[] => fs.readdirSync(run).filter((name) => name.endsWith('.sock'))
    // The engine of the test before may not have removed its own yet.
    await expect.poll(sockets).toHaveLength(1)
    const [socket = ''] = sockets()
    expect(fs.statSync(path.join(run, socket)).mode & 0o777).toBe(0o600)
    expect(fs.statSync(run).mode & 0o777).toBe(0o700)
    await engine.close()
    await expect.poll(() => fs.readdirSync(run)).toEqual([])
    await expect.poll(() => processesOf(cache)).toEqual([])
  })

  it('an engine that has ended is gone: its calls end with the reason', async () => {
    await start()
    const [pid = ''] = enginePids()
    process.kill(Number(pid), 'SIGKILL')
    await lostAgain()
    expect(lost).toMatchObject([{ isKept: true }])
    const resumed = await engine.resume(never)
    expect(resumed).toMatchObject({ ok: false, isGone: true })
    const calling = engine.call('app.info', {})
    engine.giveUp(resumed as Result<never>)
    expect((await calling).ok).toBe(false)
  })

  it('nobody comes back: it ends after its time', async () => {
    await start(1)
    engine.cut()
    await lostAgain()
    await expect.poll(() => processesOf(cache)).toEqual([])
    expect(fs.readdirSync(run)).toEqual([])
  })
})

describe('an engine whose window was killed', () => {
  const inputs = { x: { shape: [2, 3] }, y: { shape: [2, 3] } }
  const request = { op: 'my_op::my_op', args: ['x', 'y'], inputs } as never
  const search = (): AppInput<'gradcheck.search'> => {
    const checked = {
      ...(request as object),
      options: {},
      secondOrder: false,
      keepJacobians: false,
    }
    const limits = { points: 300, firstSeed: 0, timeout: 0 }
    return { folder, job: 'search-1', request: checked as never, ...limits }
  }

  const window = (takesOver?: EngineSession): EngineClient =>
    new EngineClient(target, {
      version,
      keep: 60,
      seconds: 60,
      ...(takesOver && { takesOver }),
      onQuestion: () => Promise.resolve(null),
      onLog: () => undefined,
      onLost: () => undefined,
    })

  /** Its connection ends, and nobody looks for the engine with its name. */
  async function withoutWindow(): Promise<EngineSession> {
    const first = window()
    unwrap(await first.connect())
    unwrap(await first.call('project.open', { folder }))
    unwrap(await first.call('operator.build', { folder, job: 'build-1' }))
    const note = { job: 'search-1', kind: 'search', input: '{"points":300}' }
    unwrap(await first.call('job.note', note))
    const began = new Promise<void>((resolve) => {
      first.on('gradcheck.progressed', () => resolve())
    })
    const searching = first.call('gradcheck.search', search())
    await Promise.race([began, searching.then((early) => expect.unreachable(messageOf(early)))])
    first.cut()
    first.giveUp(err('target.unavailable', 'killed'))
    await searching
    return first.place ?? { session: '', window: '' }
  }

  it('goes on for the next: the job that ran is not begun again, and its result arrives', async () => {
    const place = await withoutWindow()
    const pids = enginePids()
    const second = window(place)
    unwrap(await second.connect())
    unwrap(await second.call('project.open', { folder }))
    expect(unwrap(await second.call('job.left', {}))).toEqual([
      { job: 'search-1', kind: 'search', input: '{"points":300}' },
    ])
    const dones: number[] = []
    second.on('gradcheck.progressed', ({ done }) => dones.push(done))
    expect(unwrap(await second.call('gradcheck.search', search())).tried).toBe(300)
    // A search that begins again counts from the beginning.
    expect(dones).toEqual([...dones].sort((a, b) => a - b))
    expect(unwrap(await second.call('job.left', {}))).toEqual([])
    expect(enginePids()).toEqual(pids)
    // Its connection is resumed like that of any other window.
    second.cut()
    await expect.poll(async () => (await second.resume(never)).ok).toBe(true)
    unwrap(await second.call('app.info', {}))
    await second.close()
  })

  it('of two windows that know it, one gets it', async () => {
    const place = await withoutWindow()
    const windows = [window(place), window(place)]
    const answers = await Promise.all(windows.map((one) => one.connect()))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    const refused = answers.find(({ ok }) => !ok)
    expect(refused && isGone(refused)).toBe(true)
    for (const one of windows) await one.close()
  })

  it('has ended in the meantime: that is a reason to start another', async () => {
    const gone = window({ session: 'a-session-of-before', window: 'w' })
    const connected = await gone.connect()
    expect(isGone(connected)).toBe(true)
    await gone.close()
  })
})

describe('a machine whose clock is an hour ahead', () => {
  it('files are written, read and watched as on any other', async () => {
    const shift = path.join(cache.home, 'shift.cjs')
    fs.writeFileSync(
      shift,
      'const real = Date.now; Date.now = () => real() + 3600e3; const D = Date; Date = class extends D { constructor(...w) { w.length ? super(...w) : super(Date.now()) } }',
    )
    const command = ['env', `NODE_OPTIONS=--require=${shift}`, 'sh']
    const lost: string[] = []
    const changed: string[] = []
    const engine = new EngineClient(
      { ...target, command },
      {
        version,
        keep: 60,
        seconds: 60,
        onQuestion: () => Promise.resolve(null),
        onLog: () => undefined,
        onLost: (error) => lost.push(messageOf(error)),
      },
    )
    unwrap(await engine.connect())
    engine.on('file.changed', (event) => changed.push(event.path))
    unwrap(await engine.call('project.open', { folder }))
    // While a watch starts, it tells by the clock what is new.
    const probe = (): string[] => {
      fs.writeFileSync(path.join(folder, 'probe.h'), `// ${Math.random()}\n`)
      return changed
    }
    await expect.poll(probe, { interval: 500 }).toContain('probe.h')
    const file = { folder, path: 'op.cpp' }
    const before = unwrap(await engine.call('file.read', file))
    const text = `${before.text}// more\n`
    const write = { ...file, text, baseVersion: before.version }
    const written = unwrap(await engine.call('file.write', write))
    expect(unwrap(await engine.call('file.read', file))).toMatchObject(written)
    fs.appendFileSync(path.join(folder, 'op.cpp'), '// by somebody else\n')
    await expect.poll(() => changed).toContain('op.cpp')
    expect(
      await engine.call('file.write', { ...write, baseVersion: before.version }),
    ).toMatchObject({
      error: { code: 'file.conflict' },
    })
    engine.cut()
    await expect.poll(() => lost).toHaveLength(1)
    unwrap(await engine.resume(never))
    await engine.close()
  })
})

describe('where an engine may listen', () => {
  it('a folder that others may read is not used: the engine then ends with its connection', async () => {
    fs.chmodSync(run, 0o755)
    const base = path.join(cache.home, 'tmp')
    fs.mkdirSync(path.join(base, `opsmith-${process.getuid?.() ?? ''}`), { recursive: true })
    fs.chmodSync(path.join(base, `opsmith-${process.getuid?.() ?? ''}`), 0o777)
    const command = ['env', `TMPDIR=${base}`, 'sh']
    const engine = new EngineClient(
      { ...target, command },
      {
        version,
        keep: 60,
        seconds: 60,
        onQuestion: () => Promise.resolve(null),
        onLog: () => undefined,
        onLost: (_error, isKept) => lost.push(isKept),
      },
    )
    const lost: boolean[] = []
    unwrap(await engine.connect())
    // The engine of the test before may still end.
    await expect.poll(enginePids).toEqual([])
    engine.cut()
    await expect.poll(() => lost).toEqual([false])
    await engine.close()
    fs.chmodSync(run, 0o700)
  })

  it('a name of a session is no path', async () => {
    const { code, stderr } = await opsmith(cache, 'serve', '--stdio', '--session', '../../etc')
    expect(code).toBe(2)
    expect(stderr).toContain('--session must have 8 to 64 characters')
  })
})
