import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { rewriteSources } from '../../../electron/engine/compile/virtual-gpu/shadow-sources'
import type { ShadowSources } from '../../../electron/engine/compile/virtual-gpu/shadow-sources'

let home: string

beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-shadows-'))
})
afterAll(() => {
  fs.rmSync(home, { recursive: true })
})

/** A project with two headers of one name, one that is not rewritten, and one that lies outside. */
function makeProject(name: string): string {
  const folder = path.join(home, name)
  const texts = {
    'op.cu': [
      '#include "a/step.cuh"',
      '#include "b/step.cuh"',
      '#include "parts/launch.cpp"',
      '#include <outside.cuh>',
      '',
    ].join('\n'),
    'a/step.cuh': '#include "../b/step.cuh"\n#include "more.cpp"\n__device__ int a;\n',
    'a/more.cpp': 'int more;\n',
    'b/step.cuh': '#include "../a/step.cuh"\n__device__ int b;\n',
    'parts/launch.cpp': 'int launch;\n',
  }
  for (const [file, text] of Object.entries(texts)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    fs.writeFileSync(path.join(folder, file), text)
  }
  return folder
}

function rewrite(folder: string): ShadowSources {
  const outside = path.join(home, 'outside')
  fs.mkdirSync(outside, { recursive: true })
  fs.writeFileSync(path.join(outside, 'outside.cuh'), '__device__ int c;\n')
  const options = { folders: [outside, folder], preamble: () => '', projectFolder: folder }
  return rewriteSources([path.join(folder, 'op.cu')], options, (hash) =>
    path.join(home, 'copies', hash),
  )
}

it('copies of a project have the same rewritten sources, in the same place', () => {
  const one = makeProject('one')
  const other = makeProject('other')
  const shadow = rewrite(one).shadowOf(path.join(one, 'op.cu'))
  expect(rewrite(other).shadowOf(path.join(other, 'op.cu'))).toBe(shadow)

  const names = fs.readdirSync(path.dirname(shadow)).sort()
  expect(names.map((name) => name.replace(/^[0-9a-f]{12}-/, '')).sort()).toEqual([
    'op.cu.cpp',
    'outside.cuh',
    'step.cuh',
    'step.cuh',
  ])
  const texts = names.map((name) => fs.readFileSync(path.join(path.dirname(shadow), name), 'utf8'))
  const places = texts.map((text) => /^#line 1 "(.*)"$/m.exec(text)?.[1]).sort()
  expect(places).toEqual(
    [path.join(home, 'outside/outside.cuh'), 'a/step.cuh', 'b/step.cuh', 'op.cu'].sort(),
  )
  expect(texts.join('')).not.toContain(one)
  // The compiler looks for it from the source's folder on.
  expect(texts.join('')).toContain('#include "parts/launch.cpp"\n')
  expect(texts.join('')).toContain('#include "a/more.cpp"\n')

  fs.appendFileSync(path.join(other, 'b/step.cuh'), '// changed\n')
  expect(rewrite(other).shadowOf(path.join(other, 'op.cu'))).not.toBe(shadow)
})

it('a new file that an include finds first makes other rewritten sources', () => {
  const folder = path.join(home, 'newer')
  for (const place of ['src', 'include'])
    fs.mkdirSync(path.join(folder, place), { recursive: true })
  const source = path.join(folder, 'src/op.cu')
  fs.writeFileSync(source, '#include "table.def"\n')
  fs.writeFileSync(path.join(folder, 'include/table.def'), 'int table;\n')
  const options = {
    folders: [path.join(folder, 'include'), folder],
    preamble: () => '',
    projectFolder: folder,
  }
  const hash = (): string =>
    rewriteSources([source], options, (name) => path.join(home, 'copies', name)).hash
  const before = hash()
  fs.writeFileSync(path.join(folder, 'src/table.def'), 'int other;\n')
  expect(hash()).not.toBe(before)
})
