import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { BuildReport } from '../../electron/contract/build'
import { compileTools } from '../../electron/engine/compile/compile-tools'
import { CompileServer } from '../../electron/engine/compile/hot/compile-server'
import { findClangLibraries } from '../../electron/engine/compile/hot/clang-libraries'
import { findServerProgram } from '../../electron/engine/compile/hot/server-program'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, cpuSamples, root } from '../support/installation'
import { python } from '../support/python'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench({ inWindow: true, settings: { hotCompile: true } })

const sampleFolders = cpuSamples()

/** Sources that no cache knows. */
function edit(folder: string, text = `// edited ${Math.random()}\n`): void {
  const sources = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cpp'))
  for (const name of sources) fs.appendFileSync(path.join(folder, name), `\n${text}`)
}

function project(name: string, source: string, manifest: object = {}): string {
  const folder = fs.mkdtempSync(path.join(cache.home, 'project-'))
  fs.writeFileSync(
    path.join(folder, 'opsmith.json'),
    JSON.stringify({ name, sources: ['op.cpp'], ...manifest }),
  )
  fs.writeFileSync(path.join(folder, 'op.cpp'), source)
  return folder
}

const simple = (space: string, body: string): string =>
  `#include <torch/script.h>\nat::Tensor f(const at::Tensor& x) { ${body} }\nTORCH_LIBRARY(${space}, m) { m.def("f", &f); }\n// ${Math.random()}\n`

/** What compilers are writing for this process. */
function temporary(): string[] {
  const names = fs.readdirSync(path.join(cache.folder, 'objects'))
  return names.filter((name) => name.startsWith(`tmp.${process.pid}-`))
}

async function hot(folder: string): Promise<BuildReport> {
  const build = await workbench.builds.buildHot(folder)
  if (!build.ok) throw new Error(build.error.message)
  return build.value
}

/** Calls an operator with the inputs of opsmith.json: its result equals the reference. */
async function expectEqual(
  folder: string,
  call: { op: string; args: string[]; reference: string },
): Promise<void> {
  const manifest = await readManifest(folder)
  if (!manifest.ok) throw new Error(manifest.error.message)
  const request = { ...call, inputs: manifest.value.inputs }
  const result = await workbench.runs.run(folder, request, { timeout: 170 })
  if (!result.ok) throw new Error(result.error.message)
  expect(result.value.comparisons.map(({ matches }) => matches)).toEqual([true])
}

/** Ends the plain build that follows a hot one. It has tests of its own, and keeps the next test waiting. */
async function endPlain(folder: string): Promise<void> {
  await workbench.builds.build(folder, { signal: AbortSignal.abort() })
}

describe('a compile server that does not answer as it should', () => {
  it.each(['not JSON', '{"event":"started","id":1,"pid":-1}', 'null'])(
    'it is given up after the line %s',
    async (line) => {
      const executable = path.join(cache.home, 'server.sh')
      fs.writeFileSync(executable, `#!/bin/sh\necho '${line}'\nexec sleep 60\n`, { mode: 0o755 })
      const toolchain = await workbench.projects.toolchain(undefined)
      if (!toolchain.ok) throw new Error(toolchain.error.message)
      const tools = compileTools(workbench.installation, toolchain.value)
      const program = { executable, names: '', sharedCode: '', key: '' }
      const linker = { command: '', sharedCodeStub: '', args: () => [] }
      const server = new CompileServer(tools, { ...program, linker }, { prelude: 'extension' })
      expect(await server.ready).toMatchObject({
        ok: false,
        error: {
          message: 'The compile server ended: it sent an answer that Opsmith could not read.',
        },
      })
      expect(server.alive).toBe(false)
    },
  )
})

describe('hot compile', () => {
  beforeAll(async () => {
    const toolchain = await workbench.projects.toolchain(undefined)
    if (!toolchain.ok) throw new Error(toolchain.error.message)
    // Set-up installs what it needs; without it every test below would try the usual way instead.
    expect(findClangLibraries(toolchain.value.compiler).why).toBe('')
    // After all of libtorch's headers, so that it serves sources that include less as well.
    const started = await workbench.builds.startCompileServer(
      project('all_headers', simple('all_headers', 'return x;')),
    )
    expect(started).toEqual({ ok: true, value: true })
  })

  it('a compile server runs a program, and answers whatever it exits with', async () => {
    const toolchain = await workbench.projects.toolchain(undefined)
    if (!toolchain.ok) throw new Error(toolchain.error.message)
    const tools = compileTools(workbench.installation, toolchain.value)
    const program = await findServerProgram(tools)
    if (!program) throw new Error('there is no compile server')
    // What compiles would be quicker for is not needed here, and takes seconds to read.
    const bare = path.join(cache.home, 'bare')
    const headers = path.join(bare, 'native/compile_server')
    fs.mkdirSync(headers, { recursive: true })
    fs.writeFileSync(path.join(headers, 'warm.h'), '')
    const bareTools = { ...tools, installation: { ...tools.installation, root: bare } }
    const server = new CompileServer(bareTools, program, { prelude: 'extension' })
    expect(await server.ready).toMatchObject({ ok: true })
    const log = path.join(cache.home, 'program.log')
    const run = (...command: string[]): ReturnType<CompileServer['run']> =>
      server.run({ folder: cache.home, command, log }, undefined)
    for (const exitCode of [0, 1, 100]) {
      const answer = await run('/bin/sh', '-c', `pwd; echo said >&2; exit ${exitCode}`)
      expect(answer).toMatchObject({ exitCode, text: `${cache.home}\nsaid\n` })
    }
    expect(await run(path.join(cache.home, 'nothing'))).toMatchObject({ exitCode: null })
    expect(fs.existsSync(log)).toBe(false)
    server.close()
  })

  it('what the quick linker refuses, the usual linker links', async () => {
    const bin = fs.mkdtempSync(path.join(cache.home, 'bin-'))
    const script = '#!/bin/sh\necho "ld.gold: internal error" >&2\nexit 1\n'
    fs.writeFileSync(path.join(bin, 'ld.gold'), script, { mode: 0o755 })
    const { PATH = '' } = process.env
    process.env['PATH'] = `${bin}${path.delimiter}${PATH}`
    try {
      const folder = project('refused', simple('refused', 'return x + 1;'))
      const build = await hot(folder)
      await endPlain(folder)
      expect(build).toMatchObject({ ok: true, hot: true, diagnostics: [] })
      const link = build.steps.find(({ kind }) => kind === 'link')
      expect(link?.command[0]).toMatch(/lld/)
    } finally {
      process.env['PATH'] = PATH
    }
  })

  it("a repository's own tests run in Python on what was built hot", async () => {
    const folder = copyProject(path.join(root, 'test/cases/import/several'), cache)
    const manifest = { name: 'norm_cpp', sources: ['norm/norm.cpp'] }
    fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
    edit(folder)
    const build = await hot(folder)
    expect(build.hot).toBe(true)
    const request = { ids: ['tests/test_norm.py::test_norm'], onlyList: false, recordsCalls: false }
    const tested = await workbench.pytestRuns.run(folder, request, { python, timeout: 170 })
    if (!tested.ok) throw new Error(tested.error.message)
    expect(tested.value).toMatchObject({ ok: true, library: build.loadPath })
    expect(tested.value.tests.map(({ outcome }) => outcome)).toEqual(['passed'])
    await endPlain(folder)
  })

  it.each(sampleFolders.map((folder) => [path.basename(folder), folder]))(
    'a hot build of %s succeeds, and its calls equal their references',
    async (_, sample) => {
      const folder = copyProject(sample, cache)
      edit(folder)
      const build = await hot(folder)
      expect(build.diagnostics.filter((item) => item.severity === 'error')).toEqual([])
      expect(build.hot).toBe(true)
      const manifest = await readManifest(folder)
      if (!manifest.ok) throw new Error(manifest.error.message)
      for (const { op, args, reference, rtol, atol } of manifest.value.calls) {
        const request = {
          op,
          args,
          inputs: manifest.value.inputs,
          ...(reference === undefined ? {} : { reference }),
          ...(rtol === undefined ? {} : { rtol }),
          ...(atol === undefined ? {} : { atol }),
        }
        const result = await workbench.runs.run(folder, request, { timeout: 170 })
        if (!result.ok) throw new Error(`${op}: ${result.error.message}`)
        expect(result.value.referenceError).toBeUndefined()
        for (const comparison of result.value.comparisons)
          expect(comparison.matches, `${op}: ${comparison.message}`).toBe(true)
      }
      await endPlain(folder)
    },
  )

  it('the kernel that at::parallel_for calls in two places is compiled once', async () => {
    const kernel = `auto y = at::empty_like(x);
      const float* in = x.const_data_ptr<float>();
      float* out = y.mutable_data_ptr<float>();
      at::parallel_for(0, x.numel(), 64, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) out[i] = 3 * in[i] - 1;
      });
      return y;`
    const source = `#include <ATen/Parallel.h>\n${simple('once', kernel)}`
    // Fewer elements than the grain, which one thread handles, and more.
    const [few, many] = [50, 5000].map((size) => ({ shape: [size], distribution: 'randn' }))
    const folder = project('once', source, { inputs: { few, many } })
    const build = await hot(folder)
    expect(build.hot).toBe(true)
    const symbols = execFileSync('nm', ['-C', build.loadPath], { encoding: 'utf8' })
    expect(symbols).toMatch(/ f\(at::Tensor const&\)::\$_0::operator\(\)\(long, long\) const$/m)
    for (const x of ['few', 'many'])
      await expectEqual(folder, { op: 'once::f', args: [x], reference: `3 * ${x} - 1` })
    await endPlain(folder)
  })

  it('a wrong source gets the same diagnostics as in a plain build', async () => {
    const flags = { cflags: ['-Wall', '-DNUMBER=3'] }
    const good = simple('wrong', 'int unused = NUMBER; return x;')
    const folder = project('wrong', good, flags)
    const warned = await hot(folder)
    expect(warned.hot).toBe(true)
    expect(warned.diagnostics.map(({ code, line }) => ({ code, line }))).toEqual([
      { code: '-Wunused-variable', line: 2 },
    ])
    fs.writeFileSync(
      path.join(folder, 'op.cpp'),
      good.replace('return x;', 'return x.sigmoidd() + missing;'),
    )
    const failed = await hot(folder)
    expect(failed.ok).toBe(false)
    const plain = await workbench.builds.build(folder)
    if (!plain.ok) throw new Error(plain.error.message)
    expect(plain.value.hot).toBe(false)
    expect(failed.diagnostics).toEqual(plain.value.diagnostics)
    expect(failed.diagnostics.map((item) => item.line)).toContain(2)
  })

  it('a changed header is noticed, and an unchanged source comes from the cache', async () => {
    const inputs = { x: { shape: [2], distribution: 'ones' } }
    const folder = project('headers', simple('headers', 'return x * factor;'), { inputs })
    const manifest = await readManifest(folder)
    if (!manifest.ok) throw new Error(manifest.error.message)
    const source = path.join(folder, 'op.cpp')
    fs.writeFileSync(source, `#include "factor.h"\n${fs.readFileSync(source, 'utf8')}`)
    const call = { op: 'headers::f', args: ['x'] }
    const values: unknown[] = []
    for (const factor of [2, 3]) {
      fs.writeFileSync(
        path.join(folder, 'factor.h'),
        `#pragma once\nconst int factor = ${factor};\n`,
      )
      expect((await hot(folder)).hot).toBe(true)
      const result = await workbench.runs.run(
        folder,
        { ...call, inputs: manifest.value.inputs },
        { timeout: 170 },
      )
      if (!result.ok) throw new Error(result.error.message)
      values.push(JSON.stringify(result.value.outputs))
    }
    expect(values[0]).not.toBe(values[1])
    const again = await hot(folder)
    expect(again.steps.every((step) => step.cached)).toBe(true)
    await endPlain(folder)
  })

  it('the error for a missing symbol comes from the plain linker', async () => {
    const body = 'extern at::Tensor nowhere(const at::Tensor&); return nowhere(x);'
    const folder = project('undefined', simple('undefined', body))
    const built = await workbench.libraries.buildAndLoad(folder, {}, 170)
    if (!built.ok) throw new Error(built.error.message)
    expect(built.value.build.ok).toBe(false)
    expect(built.value.build.diagnostics[0]?.message).toContain('undefined reference to nowhere')
    expect(built.value.build.diagnostics[0]?.file).toBe(path.join(folder, 'op.cpp'))
  })

  it('cached plain objects are linked hot, and the plain library follows', async () => {
    const caller = `at::Tensor part(const at::Tensor&); return part(x);`
    const stamp = Math.random()
    const part = (factor: number): string =>
      `#include <ATen/ATen.h>\nat::Tensor part(const at::Tensor& x) { return x * ${factor}; } // ${stamp}\n`
    const texts = [`${simple('linked', caller)}// 0\n`, `${simple('linked', caller)}// 1\n`]
    const inputs = { x: { shape: [1], distribution: 'ones' } }
    const folder = project('linked', '', { sources: ['op.cpp', 'part.cpp'], inputs })
    const write = (text: number, factor: number): void => {
      fs.writeFileSync(path.join(folder, 'op.cpp'), texts[text] ?? '')
      fs.writeFileSync(path.join(folder, 'part.cpp'), part(factor))
    }
    for (const [text, factor] of [
      [0, 2],
      [1, 3],
    ] as const) {
      write(text, factor)
      const plain = await workbench.builds.build(folder)
      expect(plain.ok && plain.value.ok).toBe(true)
    }
    write(0, 3)
    const mixed = await workbench.libraries.buildAndLoad(folder, {}, 170)
    if (!mixed.ok || !mixed.value.load) throw new Error('it does not load')
    const { build } = mixed.value
    expect(build.steps.map(({ kind, cached }) => [kind, cached])).toEqual([
      ['compile', true],
      ['compile', true],
      ['link', false],
    ])
    expect(build.hot).toBe(true)
    await expectEqual(folder, { op: 'linked::f', args: ['x'], reference: '3 * x' })
    await workbench.builds.waitForPlain(folder)
    expect(workbench.builds.lastBuild(folder)?.hot).toBe(false)
    // A link that is there already is taken before a new one.
    expect((await hot(folder)).hot).toBe(false)
  })

  it('the compile server works after a crash of the compiler', async () => {
    const folder = project(
      'crash',
      `${simple('crash', 'return x;')}\n#pragma clang __debug crash\n`,
    )
    const failed = await hot(folder)
    expect(failed.ok).toBe(false)
    expect(failed.diagnostics.length).toBeGreaterThan(0)
    const other = project('after_crash', simple('after_crash', 'return x;'))
    expect((await hot(other)).hot).toBe(true)
    await endPlain(other)
  })

  it('a cancelled hot build ends at once and leaves no temporary files', async () => {
    // A hundred thousand classes to instantiate: seconds, and no limit of a compiler's ends it before.
    const slow = `template <int N, int M> struct ways {
  static constexpr unsigned long value = ways<N - 1, M>::value + ways<N - 1, M + 1>::value;
};
template <int M> struct ways<0, M> { static constexpr unsigned long value = M; };
constexpr unsigned long never = ways<500, 0>::value;
`
    const source = `${simple('endless', 'return x;')}${slow}`
    const folder = project('endless', source)
    const stop = new AbortController()
    const build = workbench.builds.buildHot(folder, { signal: stop.signal })
    setTimeout(() => {
      stop.abort()
    }, 120)
    const result = await build
    expect(result.ok ? 'built' : result.error.code).toBe('cancelled')
    // The plain builds behind other tests have theirs until they end.
    await expect.poll(temporary, { timeout: 300_000, interval: 200 }).toEqual([])
  })

  it('a hot build is followed by the plain build, which is the one published', async () => {
    const folder = project('settles', simple('settles', 'return x + 1;'))
    const build = await hot(folder)
    expect(build).toMatchObject({ hot: true, ok: true, library: '' })
    expect(fs.existsSync(path.join(folder, 'build'))).toBe(false)
    expect(await workbench.builds.waitForPlain(folder)).toEqual({ ok: true, value: null })
    const plain = workbench.builds.lastBuild(folder)
    expect(plain).toMatchObject({ hot: false, ok: true })
    expect(plain?.library).toBe(path.join(folder, 'build', 'libsettles.so'))
    expect(
      fs.readFileSync(plain?.loadPath ?? '').equals(fs.readFileSync(plain?.library ?? '')),
    ).toBe(true)
    expect(fs.readFileSync(plain?.library ?? '').includes('opsmith_shared_code')).toBe(false)
  })

  it('builds are plain when hot compile is off, and when the server is gone', async () => {
    await changeSettings(cache.places.configFolder, { hotCompile: false })
    const off = await hot(project('switched_off', simple('switched_off', 'return x;')))
    expect(off).toMatchObject({ ok: true, hot: false })
    await changeSettings(cache.places.configFolder, { hotCompile: true })
    workbench.builds.stopCompileServer()
    const gone = await hot(project('gone', simple('gone', 'return x;')))
    expect(gone).toMatchObject({ ok: true, hot: false })
    workbench.builds.stopCompileServer()
  })

  it('a project with many sources waits for the server that was started with it', async () => {
    const folder = copyProject(path.join(root, 'samples/calculate_force'), cache)
    edit(folder)
    workbench.builds.stopCompileServer()
    workbench.builds.warmUp(folder)
    expect(await hot(folder)).toMatchObject({ ok: true, hot: true })
  })

  it('closing waits until the plain build has removed what it was writing', async () => {
    await expect.poll(temporary, { timeout: 300_000 }).not.toEqual([])
    await workbench.builds.close()
    expect(temporary()).toEqual([])
  })
})
