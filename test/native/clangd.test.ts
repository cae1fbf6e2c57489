import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { TimingRequest } from '../../electron/contract/timing-report'
import type { LanguageDiagnostics, LanguageState } from '../../electron/contract/language'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { clangdsOnPath, findClangd } from '../../electron/engine/toolchain/find-clangd'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { residentBytes } from '../../electron/engine/resident-memory'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'

const clangd = await findClangd('')
/** Earlier ones that are here beside the newest; set-up installs one. */
const others = (await clangdsOnPath()).slice(1).filter((one) => one.major >= 14)

let cache: TestCache
let workbench: Workbench
let folder = ''
const said: LanguageDiagnostics[] = []
const states: LanguageState[] = []

const read = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8')

const until = async <T>(
  find: () => T | undefined | Promise<T | undefined>,
  seconds = 300,
): Promise<T> => {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`not within ${seconds} s`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const diagnosed = async (file: string, version: number): Promise<LanguageDiagnostics> =>
  await until(() =>
    said.findLast((one) => one.file === path.join(folder, file) && one.version >= version),
  )

const show = (file: string, text: string, version: number): void => {
  workbench.clangd.show({ folder, path: file, text, version }, true)
}

/** 1-based place of the caret after `before`, which stands in the text once or first. */
const after = (text: string, before: string): { line: number; column: number } => {
  const offset = text.indexOf(before) + before.length
  if (offset < before.length) throw new Error(`no ${before}`)
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

beforeAll(() => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/calculate_force'), cache)
  workbench = new Workbench(
    testInstallation(cache),
    startForkedHost,
    {
      onLanguageDiagnostics: (one) => said.push(one),
      onLanguageState: (state) => states.push(state),
    },
    commandOptions,
  )
})
afterAll(async () => {
  await workbench.close()
  cache.remove()
})

const kernel = 'src/force_kernel.cpp'
const caller = 'src/calculate_force_cpu.cpp'

// clangd leaves the processors to others: on a busy machine it reads libtorch's headers for minutes.
describe.skipIf(!clangd.ok)('clangd', { timeout: 1_200_000 }, () => {
  it('clangd gets the commands of a build, without the flags that only the compiler can read', async () => {
    const commands = unwrap(await workbench.clangd.compileCommands(folder))
    const files = commands.map((one) => path.relative(folder, one.file))
    const cpu = ['src/bindings.cpp', caller.replace('_cpu', ''), caller, kernel]
    // The CUDA sources are there where nvcc is.
    expect(files).toEqual(expect.arrayContaining(cpu))
    const words = commands.flatMap((one) => one.arguments)
    expect(words).toContain('-DTORCH_EXTENSION_NAME=calculate_force')
    expect(words).toContain('-std=c++20')
    expect(words.filter((word) => /pch/.test(word))).toEqual([])
    // Ours stand before libtorch's.
    const bindings = commands.find((one) => one.file.endsWith('bindings.cpp'))
    const folders = bindings?.arguments.filter((word) => word.endsWith('/include')) ?? []
    expect(folders[0]).toMatch(/\/include\/[0-9a-f]+\/include$/)
  })

  it('clangd finds a mistake in unsaved text and offers a fix', async () => {
    const good = read(kernel)
    show(kernel, good, 1)
    expect((await diagnosed(kernel, 1)).diagnostics).toEqual([])
    expect(workbench.clangd.state()).toMatchObject({ state: 'ready' })
    const begin = 'namespace calc_ops {'
    const bad = good.replace(
      begin,
      `${begin}\nint64_t twice(int64_t size) { return 2 * size }\nint64_t four = twise(2);`,
    )
    show(kernel, bad, 2)
    const { diagnostics } = await diagnosed(kernel, 2)
    const line = bad.split('\n').findIndex((one) => one.includes('twice')) + 1
    expect(diagnostics.find((one) => one.message.startsWith("expected ';'"))).toMatchObject({
      severity: 'error',
      source: 'clangd',
      line,
      fixes: [{ edits: [{ line, text: ';' }] }],
    })
    const misspelt = diagnostics.find((one) => one.message.includes("'twise'"))
    expect(misspelt).toMatchObject({
      line: line + 1,
      fixes: [{ title: "change 'twise' to 'twice'", edits: [{ text: 'twice' }] }],
      notes: [{ line }],
    })
    show(kernel, good, 3)
    expect((await diagnosed(kernel, 3)).diagnostics).toEqual([])
    expect(read(kernel)).toBe(good)
  })

  it('clangd reads a CUDA source, and finds what is wrong in a kernel', async () => {
    const file = 'src/cuda/add_forces.cu'
    const text = read(file)
    show(file, text, 1)
    expect((await diagnosed(file, 1)).diagnostics).toEqual([])
    show(file, text.replace('own[axis] += pull[axis];', 'own[axis] += pul[axis];'), 2)
    const found = await diagnosed(file, 2)
    expect(found.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining("undeclared identifier 'pul'"),
    ])
    show(file, text, 3)
  })

  it('a rename covers every file of the project, open or not', async () => {
    const text = read(kernel)
    const at = { folder, path: kernel, ...after(text, 'void add_for') }
    expect(unwrap(await workbench.language.renameTarget(at))).toMatchObject({ name: 'add_forces' })
    const { edits, left } = unwrap(await workbench.language.rename(at, 'collect_forces'))
    const files = new Set(edits.map((edit) => path.relative(folder, edit.file)))
    expect([...files].sort()).toEqual([caller, kernel, 'include/force_kernel.h'].sort())
    expect(edits.map((edit) => edit.text)).toEqual(Array(3).fill('collect_forces'))
    // A macro's text is nobody's to rename: that it is left is said.
    const macro =
      text.split('\n').findIndex((line) => line.includes('template void add_forces')) + 1
    expect(left).toMatchObject([{ file: path.join(folder, kernel), line: macro }])
    // Nothing that was only looked at is shown.
    expect(said.some((one) => one.file.endsWith('calculate_force_cpu.cpp'))).toBe(false)
    const refused = await workbench.language.rename(at, 'not a name')
    expect(refused).toMatchObject({ ok: false, error: { code: 'request.invalid' } })
  })

  it("completion, hover and definitions work into libtorch's headers", async () => {
    const text = read(caller)
    show(caller, text, 1)
    await diagnosed(caller, 1)
    const at = { folder, path: caller, ...after(text, 'at::Tens') }
    // Documentation comes with the index of the headers, which is made after the first diagnostics.
    await expect
      .poll(async () => unwrap(await workbench.language.hover(at))?.markdown ?? '', {
        timeout: 300_000,
      })
      .toMatch(/Tensor[^]*intrusive_ptr/)
    const [place] = unwrap(await workbench.language.definition(at))
    expect(place?.file).toMatch(/torch\/include\/ATen\/core\/TensorBody\.h$/)
    const [declared] = unwrap(
      await workbench.language.definition({ folder, path: caller, ...after(text, 'add_for') }),
    )
    expect(declared?.file).toBe(path.join(folder, kernel))

    const typed = text.replace(
      'namespace calc_ops {',
      'namespace calc_ops {\nauto y = at::empty_li',
    )
    show(caller, typed, 2)
    const here = { folder, path: caller, ...after(typed, 'at::empty_li') }
    const list = unwrap(await workbench.language.complete(here, ''))
    const item = list?.items.find((one) => one.label === 'empty_like')
    expect(item).toMatchObject({
      snippet: true,
      range: { line: here.line, endColumn: here.column },
    })
    expect(item?.text).toMatch(/^empty_like\(\$\{1:/)
    const called = text.replace('namespace calc_ops {', 'namespace calc_ops {\nauto y = at::add(')
    show(caller, called, 3)
    const inside = { folder, path: caller, ...after(called, 'at::add(') }
    const help = unwrap(await workbench.language.signatures(inside))
    expect(help?.signatures[0]?.label).toMatch(/^add\(const (at::)?Tensor &self/)
    show(caller, text, 4)
    const whole = { line: 1, column: 1, endLine: text.split('\n').length, endColumn: 1 }
    expect(
      unwrap(await workbench.language.inlayHints({ folder, path: caller, ...whole })).length,
    ).toBeGreaterThan(5)
    const tokens = unwrap(await workbench.language.semanticTokens({ folder, path: caller }))
    expect(tokens?.legend.types).toContain('parameter')
    expect((tokens?.data.length ?? 0) % 5).toBe(0)
    const symbols = unwrap(await workbench.language.symbols({ folder, path: caller }))
    expect(JSON.stringify(symbols)).toMatch(/calculate_force_grad_cpu/)
    // Of `Tensor` itself, clangd would read libtorch's headers for every file of the project.
    const method = { folder, path: caller, ...after(text, 'list_neigh.conti') }
    expect(unwrap(await workbench.language.references(method)).length).toBeGreaterThan(5)
  })

  it('a rename works after something was typed and undone before clangd read it', async () => {
    await diagnosed(caller, 4)
    const text = read(caller)
    const typed = (added: string, version: number): void => {
      workbench.clangd.show({ folder, path: caller, text: text + added, version }, false)
    }
    typed('// a', 5)
    typed('', 6)
    const at = { folder, path: kernel, ...after(read(kernel), 'void add_for') }
    const { edits } = unwrap(await workbench.language.rename(at, 'collect_forces'))
    expect(edits).toHaveLength(3)
  })

  it('a killed clangd starts again with the file that is open', async () => {
    // clangd reads libtorch's headers again for each open file.
    for (const one of [caller, 'src/cuda/add_forces.cu'])
      workbench.clangd.close(path.join(folder, one))
    const { pid } = workbench.clangd.state()
    const begun = states.length
    said.length = 0
    process.kill(pid, 'SIGKILL')
    await until(() => states.slice(begun).find((one) => one.state === 'restarting'))
    await until(() => states.slice(begun).find((one) => one.state === 'ready' && one.pid !== pid))
    expect((await diagnosed(kernel, 3)).diagnostics).toEqual([])
    const told = states.slice(begun).find((one) => one.state === 'restarting')?.message
    expect(told).toMatch(/clangd [\d.]+ was killed by SIGKILL. Opsmith is restarting clangd/)
  })

  it('clangd gives its memory back at rest, and knows the open files when it is woken', async () => {
    const { pid } = workbench.clangd.state()
    expect(await residentBytes(pid)).toBeGreaterThan(10 << 20)
    const begun = states.length
    said.length = 0
    workbench.clangd.rest()
    expect(workbench.clangd.state()).toMatchObject({ state: 'idle', pid: 0 })
    await until(async () => ((await residentBytes(pid)) === 0 ? true : undefined))
    workbench.clangd.wake()
    await until(() => states.slice(begun).find((one) => one.state === 'ready'))
    expect((await diagnosed(kernel, 3)).diagnostics).toEqual([])
    // Nobody ended it but we.
    expect(states.slice(begun).map(({ state }) => state)).not.toContain('restarting')
  })
})

describe.skipIf(!clangd.ok)('timings while clangd works', () => {
  it('a timing waits until clangd has read the shown files, and reports that it waits', async () => {
    const own = makeTestCache()
    const bench = new Workbench(testInstallation(own), startForkedHost, {}, commandOptions)
    const project = copyProject(path.join(root, 'samples/sigmoid'), own)
    unwrap(await bench.builds.build(project))
    // Else clangd may have read the file before an op host has started.
    unwrap(await bench.libraries.load(project, { timeout: 170 }))
    const text = fs.readFileSync(path.join(project, 'op.cpp'), 'utf8')
    bench.clangd.show({ folder: project, path: 'op.cpp', text, version: 1 }, true)
    await until(() => (bench.clangd.state().state === 'idle' ? undefined : true))
    const waited: string[] = []
    const request: TimingRequest = {
      op: 'aten::sigmoid',
      args: ['x'],
      builds: [],
      seconds: 0.02,
      directions: ['forward'],
    }
    const onWait = (what: string): void => void waited.push(what)
    const { rows } = unwrap(await bench.timings.run(project, [request], { onWait }))
    expect(rows[0]?.refused).toBe('')
    expect(waited[0]).toBe('clangd reads the sources')
    expect(waited.at(-1)).toBe('')
    const config = path.join(own.folder, 'clangd', 'config', 'clangd', 'config.yaml')
    expect(fs.readFileSync(config, 'utf8')).toMatch(/^Index:\n {2}StandardLibrary: No\n/)
    await bench.close()
    own.remove()
  })
})

describe.skipIf(others.length === 0)('an older clangd', () => {
  it.each(others.map((one) => [one.version, one] as const))(
    'clangd %s starts, finds a mistake and completes',
    async (_version, program) => {
      const own = makeTestCache()
      await changeSettings(own.folder, { clangd: program.path })
      const told: LanguageDiagnostics[] = []
      const bench = new Workbench(
        testInstallation(own),
        startForkedHost,
        { onLanguageDiagnostics: (one) => told.push(one) },
        commandOptions,
      )
      const project = path.join(own.home, 'plain')
      fs.mkdirSync(project)
      const good = '#include <cstdint>\nint64_t twice(int64_t size) { return 2 * size; }\n'
      fs.writeFileSync(path.join(project, 'opsmith.json'), '{"name":"p","sources":["op.cpp"]}')
      fs.writeFileSync(path.join(project, 'op.cpp'), good)
      const bad = `${good}int64_t four = twise(2);\n`
      bench.clangd.show({ folder: project, path: 'op.cpp', text: bad, version: 1 }, true)
      const said = await until(() => told.find((one) => one.version >= 1))
      expect(said.diagnostics[0]).toMatchObject({ line: 3, source: 'clangd' })
      expect(said.diagnostics[0]?.message).toMatch(/'twise'/)
      expect(bench.clangd.state().name).toBe(`clangd ${program.version}`)
      const typed = `${good}int64_t four = twi`
      bench.clangd.show({ folder: project, path: 'op.cpp', text: typed, version: 2 }, true)
      const here = { folder: project, path: 'op.cpp', ...after(typed, 'four = twi') }
      const found = unwrap(await bench.language.complete(here, ''))
      expect(found?.items.map((one) => one.label)).toContain('twice')
      await bench.close()
      own.remove()
    },
  )
})
