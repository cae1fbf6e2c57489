import fs from 'node:fs'
import path from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { addOperator } from '../../electron/engine/project/add-operator'
import { readManifest } from '../../electron/engine/project/read-manifest'
import type { Manifest } from '../../electron/contract/manifest'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'

const cache = makeTestCache()
const installation = testInstallation(cache)
afterAll(() => cache.remove())

let count = 0
function projectWith(manifest: string, sources: Record<string, string>): string {
  count += 1
  const folder = path.join(cache.home, `project-${count}`)
  for (const [file, text] of Object.entries({ ...sources, 'opsmith.json': manifest })) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    fs.writeFileSync(path.join(folder, file), text)
  }
  return folder
}

async function manifestOf(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  if (!manifest.ok) throw new Error(manifest.error.message)
  return manifest.value
}

const read = (folder: string, file: string): string =>
  fs.readFileSync(path.join(folder, file), 'utf8')

describe('an operator that is added to a project', () => {
  it('registers in the namespace of the others, and keeps comments of opsmith.json', async () => {
    const folder = projectWith(
      `{
  "name": "tools", // the library
  "sources": ["op.cpp"],
  "inputs": {
    "x": { "shape": [3] } // mine
  }
}
`,
      { 'op.cpp': '// TORCH_LIBRARY(old, m) {}\nTORCH_LIBRARY(my_ops, m) { m.def("f", &f); }\n' },
    )
    expect(await addOperator(installation, folder, 'silu2', 'autograd')).toEqual({
      ok: true,
      value: { operator: 'my_ops::silu2', file: 'silu2.cpp' },
    })
    const source = read(folder, 'silu2.cpp')
    expect(source).toContain('TORCH_LIBRARY_FRAGMENT(my_ops, m)')
    expect(source).toContain('TORCH_LIBRARY_IMPL(my_ops, Autograd, m)')
    expect(source).toContain('"my_ops::silu2"')
    expect(source).toContain('class Silu2 :')
    expect(source).not.toMatch(/my_op\b|MyOp/)
    const text = read(folder, 'opsmith.json')
    expect(text).toContain('"name": "tools", // the library\n  "sources": ["op.cpp", "silu2.cpp"],')
    expect(text).toContain('// mine')
    // x means another tensor in this project.
    const manifest = await manifestOf(folder)
    expect(manifest.inputs['x']?.shape).toEqual([3])
    expect(manifest.inputs['silu2_x']?.shape).toEqual([4, 8])
    expect(manifest.calls).toMatchObject([
      {
        op: 'my_ops::silu2',
        args: ['silu2_x'],
        reference: 'torch.nn.functional.silu(silu2_x)',
      },
    ])
    expect(manifest.gradchecks.map(({ args }) => args)).toEqual([['silu2_x'], ['silu2_x']])
    expect(manifest.benchmarks).toMatchObject([
      { against: ['torch.nn.functional.silu(silu2_x)'], args: ['silu2_x'] },
    ])
  })

  it('comes next to the first source, whose pattern may name it, and its CUDA part into cudaSources', async () => {
    const folder = projectWith('{ "name": "tools", "sources": ["src/*.cpp"] }', {
      'src/a.cpp': 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}\n',
    })
    expect(await addOperator(installation, folder, 'gelu', 'cuda')).toEqual({
      ok: true,
      value: { operator: 'tools::gelu', file: 'src/gelu.cpp' },
    })
    expect(read(folder, 'src/gelu_cuda.cu')).toContain('TORCH_LIBRARY_IMPL(tools, CUDA, m)')
    const { sources, cudaSources, inputs } = await manifestOf(folder)
    expect(sources).toEqual(['src/*.cpp'])
    expect(cudaSources).toEqual(['src/gelu_cuda.cu'])
    expect(Object.keys(inputs)).toEqual(['x'])
  })

  it('uses an input of the project that is the same tensor', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    expect(await addOperator(installation, folder, 'difference', 'operator')).toMatchObject({
      value: { operator: 'my_op::difference' },
    })
    const manifest = await manifestOf(folder)
    expect(Object.keys(manifest.inputs)).toEqual(['x', 'y'])
    expect(manifest.calls.at(-1)).toMatchObject({ args: ['x', 'y'], reference: '3 * x - y' })
  })

  it('is refused under a name that is there or is none, and leaves nothing', async () => {
    const manifest = '{ "name": "tools", "sources": ["op.cpp"], "functions": ["bound"] }'
    const folder = projectWith(manifest, {
      'op.cpp': 'TORCH_LIBRARY(tools, m) { m.def("old(Tensor x) -> Tensor"); }\n',
      'used_cuda.cu': 'mine',
    })
    for (const name of ['Gelu', 'class', 'a-b', 'old', 'bound'])
      expect(await addOperator(installation, folder, name, 'operator'), name).toMatchObject({
        error: { code: 'request.invalid', path: 'name' },
      })
    expect(await addOperator(installation, folder, 'gelu', 'empty')).toMatchObject({
      error: { path: 'template', hint: 'Choose one of operator, autograd, cuda.' },
    })
    expect(await addOperator(installation, folder, 'used', 'cuda')).toMatchObject({
      error: { code: 'io' },
    })
    expect(fs.readdirSync(folder).sort()).toEqual(['op.cpp', 'opsmith.json', 'used_cuda.cu'])
    expect(read(folder, 'opsmith.json')).toBe(manifest)
  })
})
