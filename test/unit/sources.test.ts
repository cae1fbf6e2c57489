import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { includedTexts } from '../../electron/engine/compile/choose-prelude'
import { parseManifest } from '../../electron/engine/project/read-manifest'
import { resolveSources } from '../../electron/engine/project/sources'
import type { ProjectSources } from '../../electron/engine/project/sources'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-sources-'))
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true })
})

async function sourcesOf(...globs: string[]): Promise<ProjectSources> {
  const text = JSON.stringify({ name: 'a', sources: globs })
  return unwrap(await resolveSources(folder, unwrap(parseManifest(text, 'opsmith.json'))))
}

it('a source that a link names too is compiled once, by its own name', async () => {
  fs.writeFileSync(path.join(folder, 'op.cpp'), '')
  fs.symlinkSync('op.cpp', path.join(folder, 'a_link.cpp'))
  expect((await sourcesOf('*.cpp')).plain).toEqual(['op.cpp'])
  expect((await sourcesOf('a_link.cpp', 'op.cpp')).plain).toEqual(['op.cpp'])
  expect((await sourcesOf('a_link.cpp')).plain).toEqual(['a_link.cpp'])
})

it('an include of a folder or of a named pipe is left to the compiler', () => {
  fs.mkdirSync(path.join(folder, 'kernels'))
  execFileSync('mkfifo', [path.join(folder, 'pipe.h')])
  const source = { file: path.join(folder, 'op.cpp'), relative: 'op.cpp', text: '' }
  const text = '#include "kernels"\n#include "pipe.h"\n'
  expect(includedTexts({ ...source, text }, [folder])).toEqual([text])
})

it('a source in UTF-16 or of hundreds of megabytes is refused by its name', async () => {
  const file = path.join(folder, 'op.cpp')
  const manifest = unwrap(parseManifest('{ "name": "a", "sources": ["*.cpp"] }', 'opsmith.json'))
  const said = async (): Promise<string> => {
    const found = await resolveSources(folder, manifest)
    return found.ok ? '' : found.error.message
  }
  fs.writeFileSync(file, Buffer.from('\uFEFFint x;', 'utf16le'))
  expect(await said()).toMatch(/^op\.cpp is written in UTF-16/)
  fs.truncateSync(file, 700 << 20)
  expect(await said()).toBe('op.cpp is 700 MiB; the limit for a source is 64 MiB.')
})
