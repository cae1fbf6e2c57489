import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let traps: string
let sigmoid: string

beforeAll(() => {
  cache = makeTestCache()
  traps = copyProject(path.join(root, 'test/cases/timing/traps'), cache)
  sigmoid = copyProject(path.join(root, 'samples/sigmoid'), cache)
})
afterAll(() => {
  cache.remove()
})

const bench = async (...args: string[]): Promise<Outcome> =>
  await runOpsmith(cache, 'bench', ...args, '--seconds', '0.03')

interface Row {
  op: string
  variant: string
  direction: string
  device: string
  median?: number
  p25?: number
  p75?: number
  medianInterval?: [number, number]
  unit?: string
  samples?: number
  ratio?: number
  interval?: [number, number]
  refused?: string
  sizes: Record<string, number>
  dtype: string
  threads: number
  warnings: string[]
  baseline?: { ratio: number; interval: [number, number]; failed: boolean }
}
interface Printed {
  ok: boolean
  rows: Row[]
  error?: { code: string; message: string; hint?: string }
}

async function timingJson(...args: string[]): Promise<{ code: number; printed: Printed }> {
  const { code, stdout } = await bench(...args, '--json')
  return { code, printed: JSON.parse(stdout) as Printed }
}

const honest = ['--op', 'traps::honest', '--args', '["x"]']

describe('opsmith bench', () => {
  it('the benchmarks of opsmith.json give a row for each variant and direction, in seconds', async () => {
    const { code, printed } = await timingJson(sigmoid)
    expect(code).toBe(0)
    expect(printed.ok).toBe(true)
    const pairs = printed.rows.slice(0, 6)
    expect(pairs.map(({ variant, direction }) => `${variant} ${direction}`)).toEqual([
      'sigmoid::sigmoid forward',
      'aten::sigmoid forward',
      'sigmoid::sigmoid backward',
      'aten::sigmoid backward',
      'sigmoid::sigmoid both',
      'aten::sigmoid both',
    ])
    for (const row of printed.rows) {
      const { median = 0, p25 = 0, p75 = 0, samples = 0, medianInterval = [0, 0] } = row
      expect(row).toMatchObject({ op: 'sigmoid::sigmoid', device: 'cpu', unit: 's' })
      expect([p25, median, p75]).toEqual([p25, median, p75].sort((a, b) => a - b))
      expect(p25).toBeGreaterThan(0)
      expect(samples).toBeGreaterThanOrEqual(9)
      expect(medianInterval[0]).toBeLessThanOrEqual(median)
      const compared = row.variant === 'aten::sigmoid'
      expect([row.ratio !== undefined, row.interval !== undefined]).toEqual([compared, compared])
    }
    expect(new Set(printed.rows.slice(6).map(({ sizes }) => sizes['N']))).toEqual(
      new Set([256, 4096, 65536, 1048576]),
    )
  })

  it('the table marks the best variant and explains the times it does not show', async () => {
    const { code, stdout } = await bench(traps)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^traps::honest\(x\)\n +forward \[(ns|µs|ms)\]\n/)
    expect(stdout).toMatch(/\n {2}x \+ x +[\d.]+ ±[\d.]+ \((same|[\d.]+×)\)/)
    expect(stdout).toMatch(/\n {2}traps::(honest|cached) .* \*\n|\n {2}x \+ x .* \*\n/)
    expect(stdout).toMatch(/\n {2}traps::cached +– *\n/)
    expect(stdout).toMatch(/no time: the call caches results/)
    expect(stdout).toMatch(/no time: the result differs from the result of x \+ x/)
    expect(stdout).toMatch(/\nOn .+, \d+ cores/)
  })

  it('other operators, variants, directions, dtypes, threads and sizes can be given as options', async () => {
    const { code, printed } = await timingJson(
      traps,
      ...honest,
      '--against',
      'x + x',
      'traps::cached',
      '--dtype',
      'float64,float32',
      '--threads',
      '1',
      '2',
      '--direction',
      'forward',
    )
    expect(code).toBe(1)
    expect(printed.rows).toHaveLength(3 * 2 * 2)
    expect(printed.rows.map(({ dtype, threads }) => `${dtype} ${threads}`)).toContain('float64 2')
    const cached = printed.rows.filter(({ variant }) => variant === 'traps::cached')
    expect(cached.every(({ median, refused }) => median === undefined && refused)).toBe(true)
    const swept = await timingJson(sigmoid, '--sweep', 'N=2,4', '--op', 'sigmoid::sigmoid')
    expect(new Set(swept.printed.rows.map(({ sizes }) => sizes['N']))).toEqual(
      new Set([undefined, 2, 4]),
    )
  })

  it('the rate of the counted operations is shown with its device', async () => {
    const product = ['--op', 'aten::mm', '--args', '["x","x"]', '--direction', 'forward']
    const { stdout } = await bench(traps, ...product, '--against', 'x @ x')
    expect(stdout).toMatch(/aten::mm, forward: [\d.]+ \wFLOP\/s with the FLOPs counted in x @ x/)
    const { printed } = await timingJson(traps, ...product)
    expect(printed.rows[0]).toMatchObject({ flops: 2 * 64 ** 3, flopsCountedIn: 'aten::mm' })
  })

  it('the results are written as Markdown and CSV', async () => {
    const markdown = await bench(traps, ...honest, '--against', 'x + x', '--markdown')
    expect(markdown.code).toBe(0)
    expect(markdown.stdout).toMatch(
      /^### traps::honest\(x\)\n\n\| {2}\| forward \[.s\] \|\n\| :-- \| --: \|\n/,
    )
    expect(markdown.stdout).toMatch(/\| \*\*[\d.]+ ±/)
    const csv = await bench(traps, ...honest, '--against', 'x + x, 0', 'x * 2', '--csv')
    const [header = '', ...lines] = csv.stdout.trimEnd().split('\n')
    expect(header.split(',').slice(0, 5)).toEqual(['op', 'variant', 'kind', 'direction', 'device'])
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/^traps::honest,"x \+ x, 0",expression,forward,cpu,/)
    const median = header.split(',').indexOf('median')
    expect(Number(lines[0]?.split(',')[median])).toBeGreaterThan(0)
  })

  it('a comparison with a baseline fails only if it is certainly slower', async () => {
    const file = path.join(cache.home, 'baseline.json')
    expect((await bench(traps, ...honest, '--save-baseline', file)).code).toBe(0)
    const saved = JSON.parse(fs.readFileSync(file, 'utf8')) as {
      rows: { median: number; interval: number[] }[]
    }
    expect(saved.rows).toHaveLength(1)
    const scaled = (factor: number): string => {
      const rows = saved.rows.map((row) => ({
        ...row,
        median: row.median * factor,
        interval: row.interval.map((end) => end * factor),
      }))
      const other = path.join(cache.home, `scaled-${factor}.json`)
      fs.writeFileSync(other, JSON.stringify({ ...saved, rows }))
      return other
    }
    const slower = await timingJson(traps, ...honest, '--baseline', scaled(1e-3))
    expect([slower.code, slower.printed.ok]).toEqual([1, false])
    const { ratio = 0, interval = [0, 0], failed } = slower.printed.rows[0]?.baseline ?? {}
    expect([failed, ratio > interval[0], ratio < interval[1]]).toEqual([true, true, true])
    const allowed = ['--fail-above', '1e9']
    expect((await bench(traps, ...honest, '--baseline', scaled(1e-3), ...allowed)).code).toBe(0)
    const faster = await bench(traps, ...honest, '--baseline', scaled(1e3))
    expect(faster.code).toBe(0)
    expect(faster.stdout).toMatch(
      /traps::honest, forward: [\d.e-]+ times the baseline's time .*: ok/,
    )
    // A median above the limit does not do when its interval reaches below.
    const wide = path.join(cache.home, 'wide.json')
    const rows = saved.rows.map((row) => ({
      ...row,
      median: row.median / 1e3,
      interval: [row.median / 1e4, row.median * 1e3],
    }))
    fs.writeFileSync(wide, JSON.stringify({ ...saved, rows }))
    expect((await bench(traps, ...honest, '--baseline', wide)).code).toBe(0)
  })

  it('--build last times the previous build next to this one, and builds can be named', async () => {
    const folder = copyProject(path.join(root, 'test/cases/timing/traps'), cache)
    expect((await runOpsmith(cache, 'build', folder)).code).toBe(0)
    const file = path.join(folder, 'op.cpp')
    const source = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, source.replace('return x * 2;', 'return x + x;'))
    const { code, printed } = await timingJson(folder, ...honest, '--build', 'last')
    expect(code).toBe(0)
    expect(printed.rows.map(({ variant }) => variant)).toEqual([
      'traps::honest',
      expect.stringMatching(/^build of /),
    ])
    expect(printed.rows[1]?.ratio).toBeGreaterThan(0)

    // Both are kept; a name can be given to either, taken for --build, and taken away.
    const builds = async (...args: string[]): Promise<{ name: string; current: boolean }[]> => {
      const outcome = await runOpsmith(cache, 'bench', folder, ...args, '--json')
      expect(outcome.code).toBe(0)
      return (JSON.parse(outcome.stdout) as { builds: { name: string; current: boolean }[] }).builds
    }
    const state = (list: { name: string; current: boolean }[]): unknown =>
      list.map(({ name, current }) => [name, current])
    const unnamed = [
      ['', true],
      ['', false],
    ]
    expect(state(await builds('--builds'))).toEqual(unnamed)
    expect(state(await builds('--name-build', 'product', '--build', 'last'))).toEqual([
      ['', true],
      ['product', false],
    ])
    const { stdout } = await runOpsmith(cache, 'bench', folder, '--builds')
    expect(stdout).toMatch(/^– +\d+ \w+ \d\d:\d\d:\d\d {2}\w{32} {2}this build\nproduct .* last\n$/)
    const named = await timingJson(folder, ...honest, '--build', 'product', '--same-inputs')
    expect(named.printed.rows[1]?.variant).toBe('build product')
    expect(state(await builds('--name-build', '', '--build', 'product'))).toEqual(unnamed)
  })

  it.each([
    [['--sweep', 'N'], /--sweep must be the name of a size and its values/],
    [['--sweep', 'N=4'], /no benchmark uses a size with the name N/],
    [['--threads', '0'], /--threads must be an integer of at least 1/],
    [['--dtype', 'float12'], /"float12" is not a possible value of --dtype/],
    [['--direction', 'sideways'], /"sideways" is not a possible value of --direction/],
    [['--fail-above', '2'], /--fail-above needs --baseline/],
    [['--args', '["x"]'], /--args needs --op/],
    [['--name-build', 'x', '--build', 'a', 'b'], /--name-build can name only one build/],
    [['--name-build', 'x', '--build', 'nowhere'], /No kept build has the name or key "nowhere"/],
    [['--kernels', ...honest], /is called on the CPU, but Opsmith can list only GPU kernels/],
    [['--csv', '--markdown'], /cannot be given together/],
    [['--baseline', '/nowhere'], /Could not read \/nowhere/],
    [['--op', 'no::such'], /no::such/],
    [[...honest, '--build', 'unknown'], /No kept build has the name or key "unknown"/],
  ])('%j is refused with a reason and exit code 2', async (args, message) => {
    const { code, stderr } = await bench(traps, ...args)
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })
})
