import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { spawn as spawnTerminal } from '@lydell/node-pty'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import type { Outcome } from '../support/command-line'
import { makePackageFolder } from '../support/package-folder'
import { libtorch } from './fixture'

let cache: TestCache
/** A folder as a package has it: the bundles and what they read, and no set-up of a clone. */
let app: string

beforeAll(() => {
  cache = makeTestCache()
  app = path.join(cache.home, 'app')
  makePackageFolder(app)
})
afterAll(() => {
  cache.remove()
})

interface Start {
  cache: TestCache
  environment?: Record<string, string>
  /** Called with stderr so far; true stops the command, as Ctrl+C does. */
  stopWhen?: (text: string) => boolean
}

/** Runs the command line of the package, which knows nothing of the clone's set-up. */
async function packaged(args: readonly string[], start: Start): Promise<Outcome> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('OPSMITH_'))
  const child = spawn(process.execPath, [path.join(app, 'dist/cli.cjs'), ...args], {
    env: { ...Object.fromEntries(own), ...start.cache.environment, ...start.environment },
    cwd: start.cache.home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let isStopped = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    // A second signal would end it at once.
    if (isStopped || start.stopWhen?.(stderr) !== true) return
    isStopped = true
    child.kill('SIGINT')
  })
  const code = await new Promise<number>((resolve) => {
    child.once('close', (exitCode) => {
      resolve(exitCode ?? -1)
    })
  })
  return { code, stdout, stderr }
}

interface Report {
  libtorch: string
  addon: string
  steps: { name: string; isMade: boolean }[]
}

it('a package names `opsmith setup`; after it a sample is built and run, and a second set-up makes nothing', async () => {
  const project = copyProject(path.join(root, 'samples/my_op'), cache)
  const before = await packaged(['run', project], { cache, environment: { LIBTORCH: libtorch } })
  expect(before.code).not.toBe(0)
  expect(before.stdout + before.stderr).toContain('opsmith setup')
  expect(before.stdout + before.stderr).not.toContain('npm run')

  const words = ['setup', '--libtorch', libtorch, '--json']
  const first = await packaged(words, { cache })
  expect(first, first.stderr).toMatchObject({ code: 0 })
  const report = JSON.parse(first.stdout) as Report
  expect(report.libtorch).toBe(libtorch)
  expect(fs.existsSync(path.join(report.addon, 'opsmith_native.node'))).toBe(true)
  expect(report.steps.map(({ name }) => name)).toEqual([
    'libtorch',
    'native addon',
    'precompiled headers',
  ])

  const run = await packaged(['run', project], { cache })
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const doctor = await packaged(['doctor'], { cache })
  expect(doctor, doctor.stdout).toMatchObject({ code: 0 })

  const second = await packaged(words, { cache })
  const again = JSON.parse(second.stdout) as Report
  expect(again.addon).toBe(report.addon)
  expect(again.steps.filter(({ isMade }) => isMade)).toEqual([])
})

it('set-up that is stopped while it compiles leaves no part of an addon and no lock', async () => {
  const own = makeTestCache(['addons'])
  try {
    const stopped = await packaged(['setup', '--libtorch', libtorch], {
      cache: own,
      stopWhen: (text) => text.includes('compiling the native addon'),
    })
    expect(stopped.code).not.toBe(0)
    expect(stopped.stderr).toContain('Set-up was stopped')
    expect(fs.existsSync(path.join(own.folder, 'addons'))).toBe(false)
    expect(fs.existsSync(path.join(own.folder, 'setup/lock'))).toBe(false)
    const doctor = await packaged(['doctor'], { cache: own, environment: { LIBTORCH: libtorch } })
    expect(doctor.stdout).toContain(
      'The native addon, the part of Opsmith that calls libtorch, has not been built.',
    )
  } finally {
    own.remove()
  }
})

it('what the system lacks is named, and a folder without libtorch is refused', async () => {
  const empty = path.join(cache.home, 'empty')
  fs.mkdirSync(empty)
  const bare = await packaged(['setup', '--libtorch', libtorch, '--json'], {
    cache,
    environment: { PATH: empty },
  })
  expect(bare.code).toBe(2)
  const { error } = JSON.parse(bare.stdout) as { error: { code: string; message: string } }
  expect(error.code).toBe('toolchain.missing')
  expect(error.message).toMatch(/C\+\+20 compiler.*CMake.*ninja/)
  const wrong = await packaged(['setup', '--libtorch', empty], { cache })
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain(`${empty} has no lib/libtorch_cpu.so`)
})

it('where there is no terminal, torch is not installed without --yes', async () => {
  const home = path.join(cache.home, 'home')
  const tools = path.join(cache.home, 'tools')
  for (const folder of [home, tools]) fs.mkdirSync(folder)
  const own = makeTestCache()
  try {
    const done = await packaged(['setup', '--json'], {
      cache: own,
      environment: { HOME: home, PATH: tools, LIBTORCH: '' },
    })
    // A libtorch in /usr or /opt is found all the same; the tools are not.
    expect(done.code).toBe(2)
    expect(done.stdout).toMatch(/--yes|Not installed/)
    expect(fs.existsSync(path.join(own.folder, 'libtorch'))).toBe(false)
  } finally {
    own.remove()
  }
})

describe('set-up where nvidia-smi lists a GPU and there is no libtorch', () => {
  /** A machine whose Python notes what it is asked for, and whose pip has nothing. */
  function machine(): { own: TestCache; environment: Record<string, string>; asked: () => string } {
    const own = makeTestCache()
    const log = path.join(own.home, 'python.log')
    const tools = path.join(own.home, 'tools')
    fs.mkdirSync(tools)
    const scripts = {
      'nvidia-smi': `case "$1" in --query*) echo 'NVIDIA H100, 580.65, 81559 MiB, 9.0, Disabled';; *) echo '| CUDA Version: 13.0 |';; esac`,
      python3: `echo "$*" >> '${log}'
case "$*" in
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";;
*"pip install"*) exit 1;;
esac`,
    }
    for (const [name, script] of Object.entries(scripts))
      fs.writeFileSync(path.join(tools, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    fs.writeFileSync(log, '')
    const PATH = [tools, '/usr/bin', '/bin'].join(':')
    return {
      own,
      environment: { HOME: path.join(own.home, 'home'), PATH, LIBTORCH: '' },
      asked: () => fs.readFileSync(log, 'utf8'),
    }
  }

  /** The same command on a terminal, where `answers` are typed, one a question. */
  async function onTerminal(
    { own, environment }: ReturnType<typeof machine>,
    answers: string[],
  ): Promise<string> {
    const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('OPSMITH_'))
    const terminal = spawnTerminal(process.execPath, [path.join(app, 'dist/cli.cjs'), 'setup'], {
      cwd: own.home,
      cols: 400,
      env: { ...Object.fromEntries(variables), ...own.environment, ...environment },
    })
    let text = ''
    let questions = 0
    terminal.onData((more) => {
      text += more
      const seen = text.split('[y/N]').length - 1
      if (seen > questions) terminal.write(`${answers[questions] ?? 'n'}\r`)
      questions = seen
    })
    await new Promise((resolve) => {
      terminal.onExit(resolve)
    })
    return text
  }

  const question =
    'This machine has NVIDIA H100. Install torch 2.13.0 for CUDA 13.0 (3 GB to download, 7 GB on disk)? [y/N]'
  const forCuda = '--index-url https://download.pytorch.org/whl/cu130 torch==2.13.0'

  it('on a terminal it asks, and installs torch for CUDA after "y"', async () => {
    const here = machine()
    expect(await onTerminal(here, ['y'])).toContain(question)
    expect(here.asked()).toContain(forCuda)
    here.own.remove()
  })

  it('on a terminal it asks about the CPU after "n"', async () => {
    const here = machine()
    const text = await onTerminal(here, ['n', 'y'])
    expect(text).toMatch(/Install torch 2\.13\.0 for the CPU/)
    expect(here.asked()).not.toContain('cu130')
    expect(here.asked()).toContain('torch==2.13.0+cpu')
    here.own.remove()
  })

  it('elsewhere it gives the command, and --cuda installs without a question', async () => {
    const here = machine()
    const { own, environment } = here
    const without = await packaged(['setup', '--yes'], { cache: own, environment })
    expect(without.stderr).toContain(
      'This machine has NVIDIA H100: `opsmith setup --cuda` installs torch 2.13.0 for CUDA 13.0.',
    )
    expect(here.asked()).not.toContain('cu130')
    const wanted = await packaged(['setup', '--cuda'], { cache: own, environment })
    expect(wanted.stderr).toMatch(/torch 2\.13\.0 for CUDA 13\.0 cannot be downloaded/)
    expect(here.asked()).toContain(forCuda)
    own.remove()
  })
})
