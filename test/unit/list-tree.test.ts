import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { describeProject } from '../../electron/engine/project/describe-project'
import { listAllFiles, listTree } from '../../electron/engine/project/list-tree'
import { parseManifest } from '../../electron/engine/project/read-manifest'
import { resolveSources } from '../../electron/engine/project/sources'

let base: string
let folder: string
beforeEach(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-tree-'))
  folder = path.join(base, 'project')
  for (const name of ['project/src/op.cpp', 'project/build/made.cpp', 'datasets/deep/a.cpp']) {
    fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
    fs.writeFileSync(path.join(base, name), '')
  }
  fs.symlinkSync(path.join(base, 'datasets'), path.join(folder, 'data'))
  fs.symlinkSync(path.join(base, 'datasets/deep/a.cpp'), path.join(folder, 'linked.cpp'))
})
afterEach(() => {
  fs.rmSync(base, { recursive: true, force: true })
})

async function sourcesOf(...patterns: string[]): Promise<string[]> {
  const manifest = parseManifest(JSON.stringify({ name: 'x', sources: patterns }), 'opsmith.json')
  if (!manifest.ok) throw new Error(manifest.error.message)
  const sources = await resolveSources(folder, manifest.value)
  return sources.ok ? sources.value.plain : [sources.error.message]
}

it('a link to a folder is not followed where files are listed and globs resolved', async () => {
  expect((await listTree(folder)).files.sort()).toEqual(['linked.cpp', 'src/op.cpp'])
  expect((await sourcesOf('**/*.cpp')).sort()).toEqual(['linked.cpp', 'src/op.cpp'])
})

it('a linked folder that a pattern names is read', async () => {
  expect(await sourcesOf('data/deep/*.cpp')).toEqual(['data/deep/a.cpp'])
  expect(await sourcesOf('data/deep/a.cpp')).toEqual(['data/deep/a.cpp'])
})

it('a folder with more files than are listed says so', async () => {
  const cut = await listTree(folder, 1)
  expect(cut).toMatchObject({ files: ['linked.cpp'], isCut: true })
  fs.writeFileSync(path.join(folder, 'opsmith.json'), '{"name": "x", "sources": ["src/op.cpp"]}')
  const described = await describeProject(folder)
  expect(described.ok && described.value.remark).toBeUndefined()
})

it('all files are hidden ones and those of deep folders too, without what tools make', async () => {
  const deep = 'a/b/c/d/e/f/g/h/deep.h'
  const others = ['.clang-format', '.github/ci.yml', deep]
  for (const name of [...others, '.git/config', '.venv/lib/x.py', '.mypy_cache/x.json']) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), '')
  }
  const files = await listAllFiles(folder)
  expect(files.toSorted()).toEqual([...others, 'linked.cpp', 'src/op.cpp'].toSorted())
  expect(files.at(-1)).toBe(deep)
  expect((await listTree(folder)).files).not.toContain(deep)
  expect(await listAllFiles(folder, 2)).toHaveLength(2)
})
