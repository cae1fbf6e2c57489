import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { beforeAll, describe, expect, it, vi } from 'vitest'

import { inputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { kernelDefinition } from '../../electron/engine/language/program/kernel-definition'
import { findCudaToolkit } from '../../electron/engine/toolchain/cuda'
import { opsmith } from '../support/command-line'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
const folder = copyProject(path.join(root, 'test/cases/language/loops'), cache)
const source = path.join(folder, 'op.cpp')
const lineOf = (words: string, file = source): number =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(words)) + 1

const loaded = { kind: 'loaded' as const }
const withFlags = (...flags: string[]): { kind: 'flags'; flags: string[]; compiler: string } => ({
  kind: 'flags',
  flags,
  compiler: '',
})

describe('a traced build', () => {
  it('a traced build shows where the time went and gives the same library', async () => {
    const plain = unwrap(await workbench.builds.build(folder))
    expect(plain.timeTrace).toBeUndefined()
    const traced = unwrap(await workbench.builds.build(folder, { timeTrace: true }))
    expect(traced.key).toBe(plain.key)
    expect(traced.steps.find(({ label }) => label === 'op.cpp')?.cached).toBe(false)
    const { files, link, templates } = traced.timeTrace!
    expect(link?.seconds).toBeGreaterThan(0)
    const [file] = files
    const { headers, templates: spent, frontEnd, backEnd, other } = file!.phases!
    expect(spent).toBeGreaterThan(0)
    expect(headers + spent + frontEnd + backEnd + other).toBeGreaterThan(0.5 * file!.seconds)
    expect(headers + spent + frontEnd + backEnd + other).toBeLessThanOrEqual(file!.seconds)
    expect(templates[0]?.name).toMatch(/^(torch|c10|at)::/)
  })
})

describe('the checks of the program', () => {
  const program = (): string => fs.readFileSync(path.join(folder, 'program.py'), 'utf8')

  beforeAll(async () => {
    unwrap(await workbench.builds.build(folder))
  })

  it("the program's operators are not reported as unknown while no library is loaded", async () => {
    expect(unwrap(await workbench.programChecks.check(folder))?.diagnostics).toEqual([])
    const broken = `${program()}\ndef f(x):\n    return nothing\n`
    const checked = unwrap(await workbench.programChecks.check(folder, broken))
    expect(checked?.diagnostics.map(({ message }) => message)).toEqual(['undefined value nothing'])
  })

  it('each function of the program is checked as the user types', async () => {
    unwrap(await workbench.libraries.load(folder, { timeout: 170 }))
    expect(unwrap(await workbench.programChecks.check(folder))?.diagnostics).toEqual([])
    const text = `${program()}
def f(x):
    return torch.ops.loops.scale(x)

def g(x):
    return torch.ops.loops.scaled(x) + f(x)
`
    const lines = text.split('\n')
    const checked = unwrap(await workbench.programChecks.check(folder, text))
    expect(checked?.file).toBe(path.join(folder, 'program.py'))
    expect(checked?.diagnostics.map(({ line, message }) => [line, message])).toEqual([
      [
        lines.findIndex((line) => line.includes('scale(x)')) + 1,
        'loops::scale does not accept these arguments: Argument _1 not provided',
      ],
      [
        lines.findIndex((line) => line.includes('scaled(x)')) + 1,
        'Unknown builtin op: loops::scaled',
      ],
    ])
  })

  it('a check waits for a running call, and only the newest text is checked', async () => {
    const order: string[] = []
    const m = inputSpec.parse({ shape: [2200, 2200] })
    const asked = vi.spyOn(workbench.hosts, 'call')
    const running = workbench.runs
      .run(folder, { op: 'aten::mm', args: ['m', 'm'], inputs: { m } }, { timeout: 170 })
      .then((result) => {
        order.push(result.ok ? 'call' : result.error.message)
      })
    await expect.poll(() => asked.mock.calls.length, { interval: 5 }).toBe(1)
    asked.mockRestore()
    const older = workbench.programChecks.check(folder, 'def f(x):\n    return a\n')
    const newer = workbench.programChecks.check(folder, 'def f(x):\n    return b\n')
    void newer.then(() => order.push('check'))
    expect(await older).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(unwrap(await newer)?.diagnostics.map(({ message }) => message)).toEqual([
      'undefined value b',
    ])
    await running
    expect(order).toEqual(['call', 'check'])
  })

  it('an operator in the program leads to its function', async () => {
    const load = unwrap(await workbench.libraries.load(folder, { timeout: 170 }))
    const kernel = load.operators[0]?.kernels[0]
    expect(kernel?.line).toBe(lineOf('m.def("scale"'))
    expect(unwrap(await kernelDefinition(folder, kernel!))).toEqual({
      file: source,
      line: lineOf('at::Tensor scale('),
    })
    const elsewhere = await kernelDefinition(folder, { file: '/etc/passwd', line: 1 })
    expect(elsewhere.ok).toBe(false)
  })
})

describe('assembly', () => {
  beforeAll(async () => {
    unwrap(await workbench.builds.build(folder))
  })
  const form = 'machine' as const

  it('the list has every function with code, also lambdas that libtorch runs', async () => {
    const { functions, forms } = unwrap(await workbench.assemblies.list(folder, form))
    expect(functions.map(({ title, line }) => [title, line])).toEqual([
      ['scale', lineOf('at::Tensor scale(')],
      [
        'lambda of scale in at::internal::parallel_region',
        expect.toSatisfy((line: number) => line >= lineOf('at::parallel_for') - 1),
      ],
      ['TORCH_LIBRARY_init_loops', lineOf('TORCH_LIBRARY(loops')],
    ])
    expect(forms.find((one) => one.form === 'ptx')?.whyNot).toMatch(/no CUDA source/)
  })

  it("a function's listing has its lines, packed instructions and inlined functions", async () => {
    const choice = { form, name: 'scale', file: '', line: 0 }
    const report = unwrap(await workbench.assemblies.show(folder, choice))
    const lines = new Set(report.rows.filter(({ file }) => file === source).map(({ line }) => line))
    expect([...lines]).toEqual(
      expect.arrayContaining([lineOf('halved(from[i])'), lineOf('x * 0.5f')]),
    )
    expect(report.rows.some(({ inlined }) => /\.h:\d+$/.test(inlined))).toBe(true)
    expect(report.rows.some(({ kind, target }) => kind === 'instruction' && target >= 0)).toBe(true)
  })

  it("a function's listing counts its packed instructions", async ({ skip }) => {
    if (process.arch !== 'x64') skip('instructions are sorted for x86-64 only')
    const choice = { form, name: 'scale', file: '', line: 0 }
    const { mix } = unwrap(await workbench.assemblies.show(folder, choice))
    const packed = mix.find(({ what }) => what.startsWith('packed floating'))
    expect(packed?.count).toBeGreaterThan(0)
  })

  it('a comparison that is stopped ends its compile', async () => {
    const choice = { form, name: 'scale', file: '', line: 0 }
    const stop = new AbortController()
    const sides = { base: loaded, other: withFlags('-O3') }
    const compared = workbench.assemblies.compare(folder, choice, sides, stop.signal)
    const compiles = (): string => fs.readdirSync(os.tmpdir()).join()
    await expect.poll(compiles).toContain(`opsmith-assembly-${process.pid}-`)
    stop.abort()
    expect(await compared).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  })

  it('a function is shown next to the same one under other flags, and next to the build before', async () => {
    const choice = { form, name: 'scale', file: '', line: 0 }
    const flags = ['-Xclang', '-disable-llvm-passes']
    const compared = unwrap(
      await workbench.assemblies.compare(folder, choice, {
        base: loaded,
        other: withFlags(...flags),
      }),
    )
    const count = ({ mix }: typeof compared.base): number => mix[0]?.count ?? 0
    expect(compared.otherLabel).toBe('-Xclang -disable-llvm-passes')
    expect(compared.pairs.some(({ same }) => !same)).toBe(true)
    expect(compared.pairs.filter(({ base }) => base >= 0).length).toBeGreaterThanOrEqual(
      count(compared.base),
    )
    expect(fs.readdirSync(os.tmpdir()).join()).not.toContain(`opsmith-assembly-${process.pid}-`)
    const none = await workbench.assemblies.compare(folder, choice, {
      base: loaded,
      other: { kind: 'build', build: 'x' },
    })
    expect(none).toMatchObject({ ok: false, error: { code: 'request.invalid' } })
    const before = fs.readFileSync(source, 'utf8')
    fs.writeFileSync(source, before.replace('+ 1.0f', '+ 2.0f * x'))
    unwrap(await workbench.builds.build(folder))
    const last = unwrap(
      await workbench.assemblies.compare(folder, choice, {
        base: loaded,
        other: { kind: 'build', build: 'last' },
      }),
    )
    fs.writeFileSync(source, before)
    unwrap(await workbench.builds.build(folder))
    expect(last.otherLabel).toMatch(/^build of /)
    const changed = last.pairs.filter(({ same }) => !same)
    expect(changed.length).toBeGreaterThan(0)
    expect(changed.length).toBeLessThan(count(last.base) / 2)
  })

  it('two sides are chosen freely: flags and compilers', async () => {
    const choice = { form, name: 'scale', file: '', line: 0 }
    const unknown = { ...withFlags('-O1'), compiler: '/bin/true' }
    expect(
      await workbench.assemblies.compare(folder, choice, { base: loaded, other: unknown }),
    ).toMatchObject({ error: { code: 'request.invalid', path: 'compiler' } })
    const { compilers } = unwrap(await workbench.assemblies.list(folder, form))
    const gcc = compilers.find((name) => name.startsWith('g++')) ?? ''
    const base = withFlags('-Xclang', '-disable-llvm-passes')
    const other = { ...withFlags('-O0'), compiler: gcc }
    const both = unwrap(await workbench.assemblies.compare(folder, choice, { base, other }))
    expect(both.baseLabel).toBe('-Xclang -disable-llvm-passes')
    expect(both.otherLabel).toMatch(gcc === '' ? /^-O0$/ : /^g\+\+ \d+\S* -O0$/)
    expect(both.other.function.name).toBe(both.base.function.name)
    expect(both.pairs.some(({ same }) => !same)).toBe(true)
  })

  it('clang says which loops it vectorized, and which not', async ({ skip }) => {
    const remarks = await workbench.assemblies.remarks(folder, 'op.cpp')
    if (!remarks.ok && remarks.error.code === 'toolchain.mismatch') skip('built with g++')
    const said = unwrap(remarks).map(({ line, kind, message }) => `${line} ${kind}: ${message}`)
    const inner = lineOf('for (int64_t i = begin')
    expect(said.some((one) => one.startsWith(`${inner} done: vectorized loop`))).toBe(true)
    const outer = lineOf('for (int64_t i = 0')
    expect(said.some((one) => one.startsWith(`${outer} missed: loop not vectorized: `))).toBe(true)
  })

  it('llvm-mca estimates the cycles of a loop', async ({ skip }) => {
    const choice = { form, name: 'scale', file: '', line: 0 }
    const report = unwrap(await workbench.assemblies.show(folder, choice))
    const loop = report.loops.find(({ line }) => line === lineOf('to[i] += factor'))!
    const estimated = await workbench.assemblies.estimate(folder, choice, loop)
    if (!estimated.ok && estimated.error.code === 'toolchain.missing') skip('no llvm-mca')
    const estimate = unwrap(estimated)
    expect(estimate.cycles).toBeGreaterThanOrEqual(estimate.withoutWaiting)
    expect(estimate.instructionsPerCycle).toBeGreaterThan(0)
    expect(estimate.rows.length).toBeGreaterThan(3)
  })

  it('a function is found by its line, also one that is only inlined', async () => {
    const at = async (line: number): Promise<string> => {
      const choice = { form, name: '', file: 'op.cpp', line }
      return unwrap(await workbench.assemblies.show(folder, choice)).function.title
    }
    expect(await at(lineOf('halved(from[i])'))).toBe('scale')
    expect(await at(lineOf('x * 0.5f'))).toBe('scale')
    expect(await at(lineOf('m.def("scale"'))).toBe('TORCH_LIBRARY_init_loops')
    const nowhere = await workbench.assemblies.show(folder, {
      form,
      name: '',
      file: source,
      line: 1,
    })
    expect(nowhere).toMatchObject({ ok: false, error: { code: 'operator.unknown' } })
  })

  it('a kernel is listed as PTX where nvcc is installed', async ({ skip }) => {
    if (!(await findCudaToolkit())) skip('nvcc is not installed')
    const project = copyProject(path.join(root, 'test/cases/language/kernel'), cache)
    const kernel = path.join(project, 'squares.cu')
    unwrap(await workbench.builds.build(project))
    const choice = { form: 'ptx' as const, name: '', file: kernel, line: lineOf('y[i] =', kernel) }
    const scratch = vi.spyOn(fs, 'mkdtempSync')
    // At once, as the panel does; nvcc may name what is in an unnamed namespace anew each time it compiles.
    const [listed, shown] = await Promise.all([
      workbench.assemblies.list(project, 'ptx'),
      workbench.assemblies.show(project, choice),
    ])
    const compiled = scratch.mock.calls.filter(([prefix]) => prefix.includes('opsmith-assembly-'))
    scratch.mockRestore()
    expect(compiled).toHaveLength(1)
    const report = unwrap(shown)
    expect(report.function.title).toBe('force::squares<float>')
    expect(unwrap(listed).functions.map(({ id }) => id)).toEqual([report.function.id])
    expect(report.architecture).toMatch(/^sm_\d+/)
    const stored = report.rows.find(({ text }) => text.startsWith('st.global.f32'))
    expect(stored).toMatchObject({ file: kernel, line: lineOf('y[i] =', kernel) })
    expect(report.mix.find(({ what }) => what === 'store to global memory')?.count).toBe(1)
    const named = { form: 'sass' as const, name: 'force::squares<float>', file: '', line: 0 }
    const sass = await workbench.assemblies.show(project, named)
    if (!sass.ok) expect(sass.error).toMatchObject({ code: 'toolchain.missing' })
    else {
      const store = sass.value.rows.find(({ text }) => text.startsWith('STG'))
      if (sass.value.tool === 'nvdisasm') expect(store?.line).toBe(lineOf('y[i] =', kernel))
      expect(store).toBeDefined()
      expect(sass.value.mix.find(({ what }) => what === 'registers')?.count).toBeGreaterThan(4)
    }
  })
})

describe('language commands on the command line', () => {
  it('commands check the program, disassemble functions and trace builds', async () => {
    const good = await opsmith(cache, 'check-program', folder, '--json')
    expect(good.code).toBe(0)
    expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, diagnostics: [] })
    const program = path.join(folder, 'program.py')
    const text = fs.readFileSync(program, 'utf8')
    fs.writeFileSync(program, `${text}\ndef f(x):\n    return y\n`)
    const bad = await opsmith(cache, 'check-program', folder)
    fs.writeFileSync(program, text)
    expect(bad.code).toBe(1)
    expect(bad.stdout).toBe(`${program}:8:12: error: undefined value y\n`)

    const list = await opsmith(cache, 'assembly', folder)
    expect(list.stdout).toMatch(/op\.cpp:\d+ +scale +\(\d+ bytes\)/)
    const shown = await opsmith(cache, 'assembly', folder, '--function', 'op.cpp:20', '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      form: 'machine',
      function: { title: 'scale' },
    })
    const explained = await opsmith(
      cache,
      'assembly',
      folder,
      '--function',
      'op.cpp:20',
      '--explain',
    )
    expect(explained.stdout).toMatch(/^mov +Move$/m)
    const unknown = await opsmith(cache, 'assembly', folder, '--function', 'nothing')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toMatch(/no function nothing.*\n.*scale/)

    const file = path.join(cache.home, 'build.trace.json')
    const traced = await opsmith(cache, 'build', folder, '--time-trace', file)
    expect(traced.stdout).toMatch(/op\.cpp( +[\d.]+){6}\n(.*\n)*load +[\d.]+\n/)
    const trace = JSON.parse(fs.readFileSync(file, 'utf8')) as { traceEvents: object[] }
    expect(trace.traceEvents.length).toBeGreaterThan(20)
  })
})
