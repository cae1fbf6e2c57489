import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { inputSpec } from '../../electron/contract/manifest'
import type { BuildReport } from '../../electron/contract/build'
import { compileTools } from '../../electron/engine/compile/compile-tools'
import {
  locatePrecompiled,
  makePrecompiled,
} from '../../electron/engine/compile/precompiled-headers'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { useWorkbench } from '../support/workbench'
import { compiler } from './fixture'

const { workbench, cache } = useWorkbench()

let folder: string
let remarks: string[] = []

const source = `
#include <torch/library.h>
extern "C" double factor();
at::Tensor scaled(const at::Tensor& x) { return x * factor(); }
TORCH_LIBRARY(linked, m) { m.def("scaled(Tensor x) -> Tensor", scaled); }
`

function compileFactor(value: number, output: string): void {
  const text = path.join(folder, 'factor.c')
  fs.writeFileSync(text, `double factor(void) { return ${value}; }\n`)
  execFileSync(compiler, ['-x', 'c', '-fPIC', '-c', text, '-o', path.join(folder, output)])
}

async function build(project = folder): Promise<BuildReport> {
  remarks = []
  const built = await workbench.builds.build(project, {
    onRemark: (text) => {
      remarks.push(text)
    },
  })
  if (!built.ok) throw new Error(built.error.message)
  return built.value
}

async function callWith(reference: string): Promise<boolean[] | string> {
  const result = await workbench.runs.run(
    folder,
    {
      op: 'linked::scaled',
      args: ['x'],
      inputs: { x: inputSpec.parse({ shape: [2], distribution: 'ones' }) },
      reference,
    },
    { timeout: 60 },
  )
  return result.ok ? result.value.comparisons.map((one) => one.matches) : result.error.message
}

const isCached = ({ steps }: BuildReport): boolean[] => steps.map((step) => step.cached)

beforeAll(() => {
  folder = path.join(cache.home, 'linked')
  fs.mkdirSync(folder)
  fs.writeFileSync(
    path.join(folder, 'opsmith.json'),
    JSON.stringify({ name: 'linked', sources: ['op.cpp'], ldflags: ['script.ld'] }),
  )
  fs.writeFileSync(path.join(folder, 'op.cpp'), source)
  // The linker reads factor.o because a file says so that the flags name.
  fs.writeFileSync(path.join(folder, 'script.ld'), `INPUT(${path.join(folder, 'factor.o')})\n`)
})

describe('what the linker reads', () => {
  it('a library is linked again after a file changed that its linker script names', async () => {
    compileFactor(3, 'factor.o')
    expect((await build()).ok).toBe(true)
    expect(await callWith('x * 3')).toEqual([true])
    expect(isCached(await build())).toEqual([true, true])

    compileFactor(5, 'factor.o')
    expect(isCached(await build())).toEqual([true, false])
    expect(await callWith('x * 5')).toEqual([true])
  })

  it('a file that is gone fails the build, and its return makes it good', async () => {
    const object = path.join(folder, 'factor.o')
    fs.renameSync(object, `${object}.away`)
    const failed = await build()
    expect(failed.ok).toBe(false)
    expect(failed.diagnostics[0]?.message).toContain('factor.o')
    fs.renameSync(`${object}.away`, object)
    expect((await build()).ok).toBe(true)
    expect(await callWith('x * 5')).toEqual([true])
  })
})

describe('an object file that is gone after its compiler has ended', () => {
  /** Builds with a compiler that removes the object of op.cpp so many times. */
  async function forgetObjects(times: number): Promise<BuildReport> {
    const file = path.join(cache.home, 'times')
    fs.writeFileSync(file, String(times))
    const script = path.join(cache.home, path.basename(compiler))
    fs.writeFileSync(
      script,
      `#!/bin/sh
'${compiler}' "$@" || exit $?
for output; do :; done
left=$(cat '${file}')
case "$*" in *op.cpp*/object.o) ;; *) exit 0 ;; esac
[ "$left" -gt 0 ] && rm "$output" && echo $((left - 1)) > '${file}'
exit 0
`,
      { mode: 0o755 },
    )
    await changeSettings(cache.places.configFolder, { compiler: script })
    await workbench.applySettings()
    const project = fs.mkdtempSync(path.join(cache.home, 'project-'))
    fs.writeFileSync(path.join(project, 'opsmith.json'), '{"name": "lost", "sources": ["op.cpp"]}')
    fs.writeFileSync(path.join(project, 'op.cpp'), `int one() { return 1; } // ${Math.random()}\n`)
    try {
      return await build(project)
    } finally {
      await changeSettings(cache.places.configFolder, { compiler: '' })
      await workbench.applySettings()
    }
  }

  it('the source is compiled once more', async () => {
    expect(await forgetObjects(1)).toMatchObject({ ok: true })
  })

  it('an error says so where it is gone again', async () => {
    const failed = await forgetObjects(2)
    expect(failed.ok).toBe(false)
    expect(failed.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^op\.cpp: .* succeeded, but wrote no object file$/),
    ])
  })
})

it('a project at O0 starts from the precompiled header of O2, and sees the macros of O0', async () => {
  const project = path.join(cache.home, 'at_o0')
  fs.mkdirSync(project)
  const manifest = { name: 'at_o0', sources: ['op.cpp'], optimization: 'O0' }
  fs.writeFileSync(path.join(project, 'opsmith.json'), JSON.stringify(manifest))
  fs.writeFileSync(
    path.join(project, 'op.cpp'),
    `#include <torch/library.h>
#ifdef __OPTIMIZE__
#error "the macros of -O2"
#endif
#ifndef __NO_INLINE__
#error "the macros of -O2"
#endif
TORCH_LIBRARY(at_o0, m) { m.def("scaled(Tensor x) -> Tensor", [](const at::Tensor& x) { return x * 3; }); }
`,
  )
  expect((await build(project)).diagnostics).toEqual([])
  expect(remarks).toEqual([])
})

describe('a cache that was damaged', () => {
  it('a library that was cut is linked again once, with a remark', async () => {
    const { loadPath } = await build()
    fs.truncateSync(loadPath, fs.statSync(loadPath).size / 2)
    const again = await build()
    expect(isCached(again)).toEqual([true, false])
    expect(remarks.join('\n')).toContain('liblinked.so was damaged in the cache')
    expect(await callWith('x * 5')).toEqual([true])
    expect(isCached(await build())).toEqual([true, true])
    expect(remarks).toEqual([])
  })

  it('a generated source that was emptied is written again before it is compiled', async () => {
    const other = path.join(cache.home, 'generated_project')
    fs.mkdirSync(other)
    const name = `generated_${process.pid}`
    fs.writeFileSync(
      path.join(other, 'opsmith.json'),
      JSON.stringify({ name, sources: ['op.cpp'], functions: ['twice'] }),
    )
    const write = (more: string): void => {
      fs.writeFileSync(
        path.join(other, 'op.cpp'),
        `#include <torch/extension.h>\nat::Tensor twice(const at::Tensor& x) { return x * 2; }\n${more}`,
      )
    }
    write('')
    const first = await workbench.builds.build(other)
    expect(first).toMatchObject({ ok: true, value: { ok: true } })
    const generated = path.join(cache.folder, 'generated')
    const isOfProject = (file: string): boolean =>
      fs.readFileSync(file, 'utf8').includes(`PYBIND11_MODULE(${name},`)
    const file = fs
      .readdirSync(generated)
      .map((key) => path.join(generated, key, 'opsmith_bind_op.cpp'))
      .find((candidate) => fs.existsSync(candidate) && isOfProject(candidate))
    if (file === undefined) throw new Error('the binding was not generated')
    fs.writeFileSync(file, '')
    write('// another text, the same binding\n')
    expect(await workbench.builds.build(other)).toMatchObject({ ok: true, value: { ok: true } })
    const loaded = await workbench.libraries.load(other, { timeout: 60 })
    if (!loaded.ok) throw new Error(loaded.error.message)
    expect(loaded.value.operators.map((operator) => operator.name)).toEqual([`${name}::twice`])
  })

  it('a precompiled header that was cut is made again', async () => {
    // Its own: other tests compile with the shared ones.
    const own = fs.mkdtempSync(path.join(cache.home, 'cache-'))
    const toolchain = await workbench.projects.toolchain(undefined)
    if (!toolchain.ok) throw new Error(toolchain.error.message)
    const installation = { ...workbench.installation, cacheFolder: own }
    const tools = compileTools(installation, toolchain.value)
    const make = (): ReturnType<typeof makePrecompiled> => makePrecompiled(tools, 'stable', 'plain')
    expect(await make()).toMatchObject({ value: { made: true, wasDamaged: false } })
    expect(await make()).toMatchObject({ value: { made: false } })
    const { file } = locatePrecompiled(tools, 'stable', 'plain')
    fs.truncateSync(file, 1000)
    expect(await make()).toMatchObject({ value: { made: true, wasDamaged: true } })
    expect(locatePrecompiled(tools, 'stable', 'plain')).toMatchObject({ file, ready: true })
  })
})
