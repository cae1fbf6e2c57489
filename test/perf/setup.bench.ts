import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { loadInlineSeconds } from './load-inline'
import { judged, row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

/** Seconds from an installed package to the first result of a sample, with libtorch on the machine. */
const goal = 150

interface Report {
  steps: { name: string; seconds: number }[]
}

interface Ended {
  stdout: string
  log: string
  seconds: number
}

/** Runs a command to its good end, with nothing that set-up has made before. */
async function finish(
  command: readonly [string, ...string[]],
  { cwd, home, onText }: { cwd: string; home: string; onText?: (text: string) => void },
): Promise<Ended> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('OPSMITH_')),
  )
  const places = { cache: 'CACHE', config: 'CONFIG', data: 'DATA', state: 'STATE' }
  const own = Object.entries(places).map(([name, word]) => [
    `XDG_${word}_HOME`,
    path.join(home, name),
  ])
  const [program, ...words] = command
  const started = performance.now()
  const child = spawn(program, words, {
    cwd,
    env: { ...environment, ...Object.fromEntries(own) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let log = ''
  const take = (text: string): void => {
    log += text
    onText?.(text)
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    take(text)
  })
  child.stderr.setEncoding('utf8').on('data', take)
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${log.slice(-2000)}`)
  return { stdout, log, seconds: (performance.now() - started) / 1000 }
}

/** Seconds of a core in which `npm run build` finds that nothing changed, without the start of Node. */
function secondsToFindNothing(clone: string): number {
  const script = `
    import { outdatedBundles } from ${JSON.stringify(path.join(clone, 'scripts', 'build.mjs'))}
    const outdated = outdatedBundles()
    if (outdated.length > 0) throw new Error('outdated: ' + outdated.join(', '))
    const { user, system } = process.cpuUsage()
    console.log((user + system) / 1e6)`
  const words = ['--input-type=module', '--eval', script]
  return Number(execFileSync(process.execPath, words, { encoding: 'utf8' }))
}

/** Every step of set-up in a fresh clone with an empty cache; system packages as they are here. */
async function ofClone({ root, say }: BenchmarkOptions, home: string): Promise<Row[]> {
  const clone = path.join(home, 'opsmith')
  await finish(['git', 'clone', '-q', root, clone], { cwd: home, home })
  const onText = (text: string): void => say(text.trimEnd())
  const ended = await finish([process.execPath, 'scripts/setup.mjs'], { cwd: clone, home, onText })
  const steps = [...ended.log.matchAll(/^\[\d+\/\d+\] (.+?) … .*?([\d.]+) s\b/gm)]
  const unchanged = Array.from({ length: 5 }, () => secondsToFindNothing(clone))
  return [
    ...steps.map(([, name = '', seconds]) => row(`set-up: ${name}`, 's', [Number(seconds)])),
    row('set-up, all of it', 's', [ended.seconds]),
    judged(row('finding that no bundle is outdated', 's', unchanged), unchanged, { goal: 0.5 }),
  ]
}

/** `opsmith setup` of a package for the libtorch of the clone, and the first run of a sample. */
async function ofPackage(file: string, { say }: BenchmarkOptions, home: string): Promise<Row[]> {
  const libtorch = process.env['OPSMITH_LIBTORCH'] ?? ''
  await finish(['tar', '-xzf', file, '-C', home], { cwd: home, home })
  const [folder = ''] = fs.readdirSync(home).filter((name) => name.startsWith('opsmith-'))
  const opsmith = path.join(home, folder, 'bin', 'opsmith')
  const onText = (text: string): void => say(text.trimEnd())
  const words = ['setup', '--json', '--libtorch', libtorch] as const
  const setup = await finish([opsmith, ...words], { cwd: home, home, onText })
  const sample = path.join(home, 'my_op')
  const samples = ['resources/app.asar.unpacked/samples', 'samples']
  const [found = ''] = samples
    .map((name) => path.join(home, folder, name, 'my_op'))
    .filter((name) => fs.existsSync(name))
  fs.cpSync(found, sample, { recursive: true })
  const first = await finish([opsmith, 'run', sample], { cwd: home, home, onText })
  const whole = setup.seconds + first.seconds
  // What PyTorch takes for this one sample, with nothing to set up: how fast the machine is today.
  const seconds = await loadInlineSeconds(sample, home)
  const peer = { name: 'load_inline', samples: seconds === undefined ? [] : [seconds] }
  const { steps } = JSON.parse(setup.stdout) as Report
  return [
    ...steps.map(({ name, seconds }) => row(`opsmith setup: ${name}`, 's', [seconds])),
    row('opsmith setup, all of it', 's', [setup.seconds]),
    row('opsmith run my_op', 's', [first.seconds], peer),
    judged(row('to the first result of a sample', 's', [whole], peer), [whole], { goal }),
  ]
}

export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const { packageFile = '' } = options
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-cold-'))
  try {
    return packageFile === ''
      ? await ofClone(options, home)
      : await ofPackage(packageFile, options, home)
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
}
