import path from 'node:path'

import { expect, it } from 'vitest'

import { findInstallation } from '../../electron/engine/installation'
import { ProjectSymbols } from '../../electron/engine/language/symbols/project-symbols'
import { root } from '../support/installation'

const installation = findInstallation(path.join(root, 'dist'))

it('the names that a project defines are found without clangd, in texts as they are typed', async () => {
  const symbols = new ProjectSymbols({ installation })
  const unsaved = new Map([
    [
      'rms_norm.cpp',
      [
        'namespace ops {',
        'struct Norm { at::Tensor forward(int x) { return {}; } };',
        'at::Tensor declared();',
        '}',
        '#define CHECK_SIZE(x) x',
        'TORCH_LIBRARY(ops, m) {',
        '  m.def("norm(Tensor x) -> Tensor", &ops::norm);',
        '}',
      ].join('\n'),
    ],
  ])
  const listed = await symbols.list(path.join(root, 'samples/rms_norm'), unsaved)
  if (!listed.ok) throw new Error(listed.error.message)
  const ofFile = listed.value.filter((symbol) => symbol.path === 'rms_norm.cpp')
  expect(ofFile.map(({ kind, name, line }) => `${line} ${kind} ${name}`).sort()).toEqual([
    '2 function ops::Norm::forward',
    '2 type ops::Norm',
    '3 declaration ops::declared',
    '5 macro CHECK_SIZE',
    '7 operator ops::norm',
  ])
  // The program's names are there too.
  expect(
    listed.value.some(({ path: file, kind }) => file.endsWith('.py') && kind === 'function'),
  ).toBe(true)
})
