import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { ownVersion, readSetupEnvironment } from '../../electron/engine/installation'
import type { Installation } from '../../electron/engine/installation'
import { copyEngine } from '../../electron/engine/remote/copy-engine'
import type { WantedCopy } from '../../electron/engine/remote/copy-engine'
import { engineName } from '../../electron/engine/remote/engine-archive'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import type { NamedTarget } from '../../electron/engine/remote/targets'
import { opsmith } from '../support/command-line'
import { makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { otherVersionProgram } from '../support/targets'

/** Of this machine, whose archives are made once. */
let here: TestCache
let installation: Installation
/** Of the other machine. */
let there: TestCache
let programs: string
const version = ownVersion(root)

/** A folder of the PATH there with these programs of this machine. */
function link(...names: string[]): void {
  for (const name of names) {
    const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()
    if (found !== '') fs.symlinkSync(found, path.join(programs, name))
  }
}

function writeProgram(name: string, script: string): void {
  fs.rmSync(path.join(programs, name), { force: true })
  fs.writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** The other machine: a shell of this one with another home, and only what is in `programs`. */
function machine(...before: string[]): NamedTarget {
  const environment = { ...there.environment, HOME: there.home, PATH: programs }
  const variables = Object.entries(environment).map(([key, value]) => `${key}=${value}`)
  return { name: 'bare', command: [...before, '/usr/bin/env', '-i', ...variables, '/bin/sh'] }
}

const enginesFolder = (): string => path.join(there.folder, 'engines')
const copies = (): string[] =>
  fs.existsSync(enginesFolder()) ? fs.readdirSync(enginesFolder()).sort() : []

async function copy(
  target: NamedTarget,
  options: { agrees?: boolean; signal?: AbortSignal; from?: Partial<Installation> } = {},
): Promise<{ result: Result<null>; wanted: WantedCopy[]; log: string }> {
  const wanted: WantedCopy[] = []
  let log = ''
  const result = await copyEngine(target, {
    installation: { ...installation, ...options.from },
    signal: options.signal ?? new AbortController().signal,
    onLog: (text) => {
      log += text
    },
    mayCopy: (one) => {
      wanted.push(one)
      return Promise.resolve(options.agrees ?? true)
    },
  })
  return { result, wanted, log }
}

const messageOf = (result: Result<unknown>): string => (result.ok ? '' : result.error.message)

beforeAll(() => {
  here = makeTestCache()
  installation = testInstallation(here)
})
afterAll(() => {
  here.remove()
})

describe('an engine is copied to a machine without Opsmith', () => {
  beforeEach(() => {
    there = makeTestCache()
    programs = path.join(there.home, 'programs')
    fs.mkdirSync(programs)
    link('sh', 'uname', 'id', 'tar', 'gzip', 'sha256sum', 'head', 'cut', 'mkdir', 'mv', 'rm', 'tr')
    link('cat', 'grep', 'chmod', 'dirname', 'readlink', 'node', 'cmake', 'ninja')
    return () => {
      there.remove()
    }
  })

  it('set up there with its libtorch, and used from then on; what nothing runs is removed', async () => {
    const { python = '' } = readSetupEnvironment(root)
    link('clang++-19', 'clang-19', 'ldd')
    writeProgram('python3', `exec '${python}' "$@"`)
    fs.mkdirSync(path.join(enginesFolder(), '0.0.1-old/bin'), { recursive: true })
    fs.writeFileSync(path.join(enginesFolder(), '.part-dead.999999999'), 'half')
    const connect = async (): ReturnType<typeof connectEngine> =>
      await connectEngine(machine(), {
        version,
        copy: engineName(root),
        seconds: 300,
        onQuestion: () => Promise.resolve(null),
        onLog: () => undefined,
        onLost: () => expect.unreachable(),
      })
    expect(await connect()).toMatchObject({ error: { code: 'target.noOpsmith' } })
    const { result, wanted, log } = await copy(machine())
    expect(messageOf(result)).toBe('')
    expect(wanted).toMatchObject([{ machine: 'bare', version, folder: enginesFolder() }])
    expect(wanted[0]?.detail).toContain(`The copy will use Node.js ${process.version}`)
    expect(log).toMatch(/Copying Opsmith \(\d+\.\d MB\) …\n(.*\n)*Setting up/)
    expect(copies()).toEqual([engineName(root)])
    const engine = unwrap(await connect())
    expect(unwrap(await engine.call('setup.plan', {})).isReady).toBe(true)
    await engine.close()
  })

  it('half an upload is found by its checksum and sent again; one that always breaks has a sentence', async () => {
    const flag = path.join(there.home, 'broken')
    const cut = `if [ ! -e ${flag} ] && echo "$*" | grep -q 'head -c'; then : > ${flag}; head -c 9999 | "$@"; else exec "$@"; fi`
    const { result, log } = await copy(machine('sh', '-c', cut, 'cut'))
    // There is no compiler.
    expect(messageOf(result)).toMatch(
      /^Opsmith was copied to bare, but its set-up there is not complete: /,
    )
    expect(log.split('arrived damaged')).toHaveLength(2)
    expect(copies()).toEqual([engineName(root)])
    fs.rmSync(enginesFolder(), { recursive: true })
    const always = `if echo "$*" | grep -q 'head -c'; then head -c 9999 | "$@"; else exec "$@"; fi`
    const broken = await copy(machine('sh', '-c', always, 'cut'))
    expect(messageOf(broken.result)).toContain('arrived damaged on bare 3 times')
    expect(copies()).toEqual([])
  })

  it('what is missing there is named with its reason and a command, before the user is asked', async () => {
    for (const name of ['tar', 'node']) fs.rmSync(path.join(programs, name))
    writeProgram('node', 'echo v18.19.0')
    writeProgram('apt-get', 'exit 0')
    const from = { plainNode: path.join(programs, 'sh') }
    const { result, wanted } = await copy(machine(), { from })
    expect(result).toMatchObject({ error: { code: 'target.noOpsmith' } })
    const hint = result.ok ? '' : (result.error.hint ?? '')
    expect(hint).toContain('Node.js is too old (v18.19.0). Opsmith needs Node.js 20.19 or newer')
    expect(hint).toMatch(
      /tar is not installed\. Opsmith needs it to check and unpack the copy\. Run `(sudo )?apt-get install -y tar`\./,
    )
    expect(wanted).toEqual([])
  })

  it('Node is copied too if the machine has none', async () => {
    fs.rmSync(path.join(programs, 'node'))
    const source = path.join(there.home, 'node.c')
    const node = path.join(there.home, 'mine/node')
    fs.mkdirSync(path.dirname(node))
    fs.writeFileSync(
      source,
      'int puts(const char*); int main(void) { return puts("v99.1.0") < 0; }',
    )
    expect(spawnSync('cc', ['-o', node, source]).status).toBe(0)
    // A shell's profile prints before anything else.
    const noisy = machine(
      'sh',
      '-c',
      'echo "node=v1.0.0 /etc"; printf "Welcome "; exec "$@"',
      'profile',
    )
    const { result, wanted } = await copy(noisy, { from: { plainNode: node } })
    expect(messageOf(result)).toBe('')
    expect(wanted[0]?.detail).toContain('Node.js is copied as well, because that machine has none.')
    const name = `node-v99.1.0-linux-${process.arch}`
    expect(copies()).toEqual([engineName(root), name])
    // The next copy finds it, and keeps it.
    const again = await copy(machine(), { from: { plainNode: '' } })
    expect(again.wanted[0]?.detail).toContain('The copy will use Node.js v99.1.0')
    expect(copies()).toEqual([engineName(root), name])
  })

  it('a refusal and Stop leave nothing there', async () => {
    expect(await copy(machine(), { agrees: false })).toMatchObject({
      result: { error: { code: 'cancelled' } },
    })
    const controller = new AbortController()
    const slow = `if echo "$*" | grep -q 'head -c'; then (head -c 99; sleep 600) | "$@"; else exec "$@"; fi`
    const copying = copy(machine('sh', '-c', slow, 'slow'), { signal: controller.signal })
    await expect.poll(() => copies().length, { timeout: 300_000 }).toBe(1)
    controller.abort()
    expect((await copying).result).toMatchObject({ error: { code: 'cancelled' } })
    expect(copies().filter((name) => !name.startsWith('.part-'))).toEqual([])
  })

  it.skipIf(process.getuid?.() !== 0)('a full disk has a sentence', async () => {
    fs.mkdirSync(enginesFolder())
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', enginesFolder()])
    if (mounted.status !== 0) return
    try {
      const { result } = await copy(machine())
      expect(messageOf(result)).toBe('The disk of bare is full: Opsmith was not copied.')
      expect(copies()).toEqual([])
    } finally {
      spawnSync('umount', [enginesFolder()])
    }
  })
})

describe('--on with --copy', () => {
  it('copies before the verb if the version there differs, and says so on stderr', async () => {
    there = makeTestCache()
    const environment = Object.entries(there.environment).map(([key, value]) => `${key}=${value}`)
    const python = path.dirname(readSetupEnvironment(root).python ?? '')
    const search = `PATH=${python}:${process.env['PATH'] ?? ''}`
    const target = {
      command: ['env', search, `HOME=${there.home}`, ...environment, 'sh'],
      opsmith: otherVersionProgram(there, '0.0.1'),
    }
    const file = path.join(here.places.configFolder, 'settings.json')
    fs.writeFileSync(file, JSON.stringify({ targets: { far: target } }))
    const refused = await opsmith(here, 'schema', '--on', 'far')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('add --copy')
    const { code, stdout, stderr } = await opsmith(here, '--copy', 'schema', '--on', 'far')
    expect(stderr).toContain('far has Opsmith 0.0.1, which stays as it is.')
    expect({ code, start: stdout.slice(0, 1) }).toEqual({ code: 0, start: '{' })
    // The copy answers from now on.
    expect(await opsmith(here, 'schema', '--on', 'far')).toMatchObject({ code: 0, stderr: '' })
    expect((await opsmith(here, 'schema', '--copy')).stderr).toContain('--copy needs --on')
    there.remove()
  })
})
