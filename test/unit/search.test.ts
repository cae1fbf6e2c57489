import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { SearchQuery } from '../../electron/contract/search'
import { matcherOf } from '../../electron/engine/search/globs'
import { IgnoreRules } from '../../electron/engine/search/gitignore'
import { searchProject } from '../../electron/engine/search/search'

let folder: string
const neverStopped = new AbortController().signal

function put(name: string, text: string | Buffer): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  fs.writeFileSync(path.join(folder, name), text)
}

function queryOf(more: Partial<SearchQuery>): SearchQuery {
  const plain = { isRegex: false, matchCase: false, wholeWord: false, include: '', exclude: '' }
  return Object.assign({ text: 'tensor' }, plain, more)
}

/** "file:line:column text" of each match. */
async function found(
  more: Partial<SearchQuery>,
  unsaved: { path: string; text: string }[] = [],
): Promise<string[]> {
  const report = await searchProject(folder, queryOf(more), unsaved, neverStopped)
  if (!report.ok) throw new Error(report.error.message)
  return report.value.files.flatMap(({ path: name, matches }) =>
    matches.map(({ line, column, text, replacement }) =>
      [`${name}:${line}:${column} ${text}`, replacement]
        .filter((part) => part !== undefined)
        .join(' > '),
    ),
  )
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-search-'))
  fs.mkdirSync(path.join(folder, '.git'))
  put('.gitignore', '/out\n*.log\n!kept.log\n')
  put('op.cpp', '\uFEFFat::Tensor f(at::Tensor x);\r\nint tensors = 1; // tensor\r\n')
  put('src/kernel.cu', 'Tensor k;\n')
  put('src/run.log', 'tensor')
  put('src/kept.log', 'tensor')
  put('src/.gitignore', 'deep/\n')
  put('src/deep/x.cpp', 'tensor')
  put('out/x.cpp', 'tensor')
  put('build/x.cpp', 'tensor')
  put('binary.bin', Buffer.from('tensor\0'))
  fs.symlinkSync(path.join(folder, 'op.cpp'), path.join(folder, 'link.cpp'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true, force: true })
})

describe.each(['with ripgrep where it is', 'without ripgrep'])('a search %s', (kind) => {
  beforeEach(() => {
    if (kind === 'without ripgrep') vi.stubEnv('PATH', '/nowhere')
  })

  it('finds text in files that are neither ignored, binary nor linked', async () => {
    expect(await found({})).toEqual([
      'op.cpp:1:5 Tensor',
      'op.cpp:1:18 Tensor',
      'op.cpp:2:5 tensor',
      'op.cpp:2:21 tensor',
      'src/kept.log:1:1 tensor',
      'src/kernel.cu:1:1 Tensor',
    ])
    expect(await found({ matchCase: true, wholeWord: true })).toEqual([
      'op.cpp:2:21 tensor',
      'src/kept.log:1:1 tensor',
    ])
    expect(await found({ text: '::Tensor f(', wholeWord: true })).toEqual([
      'op.cpp:1:3 ::Tensor f(',
    ])
    expect(await found({ include: '*.cu, ./op.cpp', exclude: 'src' })).toHaveLength(4)
  })

  it('reads regular expressions as JavaScript does, each line by itself', async () => {
    expect(await found({ text: '\\btensor$', isRegex: true })).toEqual([
      'op.cpp:2:21 tensor',
      'src/kept.log:1:1 tensor',
    ])
    expect(
      await found({ text: '(?<=at::)tensor (\\w)', isRegex: true, replacement: '$1: $&' }),
    ).toEqual(['op.cpp:1:5 Tensor f > f: Tensor f', 'op.cpp:1:18 Tensor x > x: Tensor x'])
    expect(await found({ text: 'x*', isRegex: true, include: 'op.cpp' })).toEqual(['op.cpp:1:25 x'])
    expect(await found({ text: '[[:alpha:]]', isRegex: true })).toEqual([])
  })

  it('takes open files as they are in the editor', async () => {
    const unsaved = [{ path: 'op.cpp', text: 'no\nTENSOR\n' }]
    expect(await found({ include: '*.cpp' }, unsaved)).toEqual(['op.cpp:2:1 TENSOR'])
  })

  it('replaces text that is no expression as it stands', async () => {
    expect(await found({ include: '*.cu', replacement: '$1' })).toEqual([
      'src/kernel.cu:1:1 Tensor > $1',
    ])
  })
})

describe('a search', () => {
  it('says what is wrong with an expression, and ends one that takes too long', async () => {
    const ask = (text: string): ReturnType<typeof searchProject> =>
      searchProject(folder, queryOf({ text, isRegex: true }), [], neverStopped)
    expect(await ask('a)(')).toMatchObject({ error: { code: 'request.invalid' } })
    put('long.txt', `${'a'.repeat(60)}!`)
    const slow = await ask('(?:(?=a)a+)+$')
    expect(slow).toMatchObject({ ok: false, error: { code: 'request.invalid' } })
  })

  it('ends at so many matches, and when it is stopped', async () => {
    put('many.txt', 'tensor '.repeat(5_000))
    const report = await searchProject(folder, queryOf({}), [], neverStopped)
    expect(report).toMatchObject({ value: { isCut: true } })
    const stopped = await searchProject(folder, queryOf({}), [], AbortSignal.abort())
    expect(stopped).toMatchObject({ error: { code: 'cancelled' } })
  })
})

describe('globs', () => {
  it('name files, folders and what is in them', () => {
    const matches = (list: string, ...paths: string[]): string[] =>
      paths.filter((one) => matcherOf(list)?.(one))
    expect(matches('*.cpp', 'op.cpp', 'a/b.cpp', 'a.cppx')).toEqual(['op.cpp', 'a/b.cpp'])
    expect(matches('src', 'src/a.h', 'x/src/b.h', 'mysrc/c.h')).toEqual(['src/a.h', 'x/src/b.h'])
    expect(matches('./src/**', 'src/a/b.h', 'x/src/b.h')).toEqual(['src/a/b.h'])
    expect(matches('*.{cpp,cu}, [!a].h', 'a.cu', 'a.h', 'b.h')).toEqual(['a.cu', 'b.h'])
    expect(matcherOf(' , ')).toBeUndefined()
  })

  it('of .gitignore are read as git reads them', () => {
    const rules = new IgnoreRules(
      '# note\n*.o\n!keep.o\n/top\nsub/dir\nfolder/\n\\#x\n**/gen/*.h\n',
    )
    expect(rules.ignores('a/b.o', false)).toBe(true)
    expect(rules.ignores('a/keep.o', false)).toBe(false)
    expect(rules.ignores('top', false)).toBe(true)
    expect(rules.ignores('a/top', false)).toBeUndefined()
    expect(rules.ignores('sub/dir', true)).toBe(true)
    expect(rules.ignores('a/sub/dir', true)).toBeUndefined()
    expect(rules.ignores('folder', false)).toBeUndefined()
    expect(rules.ignores('a/folder', true)).toBe(true)
    expect(rules.ignores('#x', false)).toBe(true)
    expect(rules.ignores('a/gen/b.h', false)).toBe(true)
  })
})
