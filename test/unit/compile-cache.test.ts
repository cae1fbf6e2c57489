import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { parseDepfile } from '../../electron/engine/compile/depfile'
import { changesPrecompiled } from '../../electron/engine/compile/flags'
import { hashOf, ObjectCache, pruneFolder } from '../../electron/engine/compile/object-cache'
import { splitFlags } from '../../electron/engine/toolchain/pkg-config'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-cache-'))
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true })
})

describe('cache keys', () => {
  it('lists of parts that join to the same text have different keys', () => {
    expect(hashOf('ab', 'c')).not.toBe(hashOf('a', 'bc'))
    expect(hashOf('a', '')).not.toBe(hashOf('a'))
    expect(hashOf('a', 'b')).toBe(hashOf('a', 'b'))
  })

  it('a key covers every header that the compiler read, by content', () => {
    const project = path.join(folder, 'project')
    fs.mkdirSync(project)
    const header = path.join(project, 'a.h')
    fs.writeFileSync(header, 'int a;')
    const cache = new ObjectCache(path.join(folder, 'cache'), project, [project])
    const made = cache.temporary()
    fs.writeFileSync(made, 'object 1')
    const stored = cache.store('key', made, [header], 'a warning')

    expect(cache.find('key')).toMatchObject({ key: stored.key, output: 'a warning' })
    expect(cache.find('other')).toBeUndefined()

    fs.writeFileSync(header, 'int b;')
    expect(cache.find('key')).toBeUndefined()
    const second = cache.temporary()
    fs.writeFileSync(second, 'object 2')
    expect(cache.store('key', second, [header], '').key).not.toBe(stored.key)

    // Back to the first text: the first object is still there.
    fs.writeFileSync(header, 'int a;')
    expect(cache.find('key')?.key).toBe(stored.key)
    fs.rmSync(header)
    expect(cache.find('key')).toBeUndefined()
  })

  it('a copy of the project elsewhere has the same keys', () => {
    const [one, two] = ['one', 'two'].map((name) => {
      const project = path.join(folder, name)
      fs.mkdirSync(project)
      fs.writeFileSync(path.join(project, 'a.h'), 'int a;')
      return { project, cache: new ObjectCache(path.join(folder, 'cache'), project, [project]) }
    })
    if (!one || !two) throw new Error('fixture')
    const made = one.cache.temporary()
    fs.writeFileSync(made, 'object')
    const stored = one.cache.store('key', made, [path.join(one.project, 'a.h')], '')
    expect(two.cache.find('key')?.key).toBe(stored.key)
    fs.writeFileSync(path.join(two.project, 'a.h'), 'int b;')
    expect(two.cache.find('key')).toBeUndefined()
    expect(one.cache.find('key')?.key).toBe(stored.key)
  })

  it('a cache file that was cut short is ignored', () => {
    const cache = new ObjectCache(folder, folder, [])
    fs.writeFileSync(path.join(folder, 'objects', 'key.json'), '[{"headers":')
    expect(cache.find('key')).toBeUndefined()
  })
})

describe('pruning the cache', () => {
  it('the least recently used entries are removed first', () => {
    for (const [index, name] of ['old', 'middle', 'new'].entries()) {
      const file = path.join(folder, name)
      fs.writeFileSync(file, 'x'.repeat(100))
      fs.utimesSync(file, 1000 + index, 1000 + index)
    }
    expect(pruneFolder(folder, 200)).toBe(1)
    expect(fs.readdirSync(folder).sort()).toEqual(['middle', 'new'])
  })
})

describe('depfiles', () => {
  it('the files after the target are read, with blanks and continuation lines', () => {
    expect(parseDepfile('a.o: op.cpp \\\n  my\\ header.h \\\n  /x/y.h\n\nother: z.h\n')).toEqual([
      'op.cpp',
      'my header.h',
      '/x/y.h',
    ])
    expect(parseDepfile('')).toEqual([])
  })
})

describe('compiler flags', () => {
  it('flags are split as a shell splits them', () => {
    expect(splitFlags(`-I/a\\ b -DX="y z" '-lq'`)).toEqual(['-I/a b', '-DX=y z', '-lq'])
  })

  it('flags that contradict a precompiled header are recognized', () => {
    expect(['-O3', '-march=native', '-ffast-math', '-DNDEBUG'].every(changesPrecompiled)).toBe(true)
    expect(['-Wall', '-DMINE=1', '-I/x'].some(changesPrecompiled)).toBe(false)
  })
})
