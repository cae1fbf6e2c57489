import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { opsmith } from '../support/command-line'
import { copyProject } from '../support/installation'
import { root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()

/** A project of one source. */
function project(name: string, text: string): string {
  const folder = path.join(fs.mkdtempSync(path.join(cache.home, 'project-')), name)
  fs.mkdirSync(folder)
  fs.writeFileSync(
    path.join(folder, 'opsmith.json'),
    `{ "name": "${name}", "sources": ["op.cpp"] }`,
  )
  fs.writeFileSync(path.join(folder, 'op.cpp'), text)
  return folder
}

const mistake = (name: string): string =>
  fs.readFileSync(path.join(root, 'test/cases/mistakes', `${name}.cpp`), 'utf8')

describe('errors of the installed compiler', () => {
  // Two of the recorded ones made for real: the recordings of the others are of what it says.
  it.each([
    ['float_signature', 9, 'An operator cannot take float: use double.'],
    ['scalar_to_double', 5, /^A Scalar is not a double: call item<double>/],
  ])('the error of %s is explained at its line', async (name, line, message) => {
    const built = await workbench.builds.build(project('mistakes', mistake(name)))
    if (!built.ok) throw new Error(built.error.message)
    const errors = built.value.diagnostics.filter((one) => one.severity === 'error')
    expect(errors).toHaveLength(1)
    expect(errors[0]?.message).toMatch(message)
    expect(errors[0]?.line).toBe(line)
    expect(errors[0]?.raw).toMatch(/error: /)
    if (name === 'float_signature') {
      const lint = built.value.diagnostics.find((one) => one.source === 'lint')
      expect(lint).toMatchObject({ code: 'opsmith-float-argument', severity: 'warning', line: 4 })
    }
  })

  it('a schema that does not fit its function is reported at load time, on its line', async () => {
    const folder = project(
      'unfit',
      `#include <ATen/ATen.h>
#include <torch/library.h>

at::Tensor scale(const at::Tensor& x, double factor) {
  return x * factor;
}

TORCH_LIBRARY(unfit, m) {
  m.def("scale(Tensor x, int factor) -> Tensor", &scale);
}
`,
    )
    const both = await workbench.libraries.buildAndLoad(folder, {}, 170)
    if (!both.ok) throw new Error(both.error.message)
    const { loadError } = both.value
    expect(loadError?.message).toBe(
      'Argument 2 of unfit::scale is int in the schema, but float (double) in the C++ function.',
    )
    expect(loadError).toMatchObject({ file: path.join(folder, 'op.cpp'), line: 9 })
    expect(loadError?.detail).toContain('Inferred operator schema')
  })
})

describe('opsmith lint', () => {
  it('lint lists its findings, fixes them, and then finds nothing', async () => {
    const folder = project('linted', mistake('float_signature'))
    const found = await opsmith(cache, 'lint', folder)
    expect(found.code).toBe(1)
    expect(found.stdout).toContain(
      'op.cpp:4:39: warning: mistakes::scale has an argument of type float',
    )
    const fixed = await opsmith(cache, 'lint', folder, '--fix', '--json')
    expect(fixed.code).toBe(0)
    expect(JSON.parse(fixed.stdout)).toMatchObject({
      ok: true,
      changed: [path.join(folder, 'op.cpp')],
      diagnostics: [],
    })
    expect(fs.readFileSync(path.join(folder, 'op.cpp'), 'utf8')).toContain('double factor')
  })

  it('lint leaves out what opsmith.json turns off and names what it cannot read', async () => {
    const folder = copyProject(project('off', mistake('float_signature')), cache)
    const manifest = path.join(folder, 'opsmith.json')
    fs.writeFileSync(
      manifest,
      '{ "name": "off", "sources": ["op.cpp"], "lints": { "opsmith-float-argument": false } }',
    )
    expect((await opsmith(cache, 'lint', folder)).code).toBe(0)
    fs.writeFileSync(
      manifest,
      '{ "name": "off", "sources": ["op.cpp"], "lints": { "none": false } }',
    )
    const refused = await opsmith(cache, 'lint', folder)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('lints')
  })
})
