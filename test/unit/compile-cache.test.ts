import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { parseDepfile } from '../../electron/engine/compile/depfile'
import { changesPrecompiled } from '../../electron/engine/compile/flags'
import { namedByFlags } from '../../electron/engine/compile/link-inputs'
import { hashOf, pruneFolder, ResultCache } from '../../electron/engine/compile/result-cache'
import {
  gpuCacheFolder,
  pruneGpuCache,
  touchEntry,
} from '../../electron/engine/compile/virtual-gpu/gpu-cache'
import {
  folderState,
  isSealed,
  placeSealedFolder,
} from '../../electron/engine/compile/sealed-files'
import { splitFlags } from '../../electron/engine/toolchain/pkg-config'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-cache-'))
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true })
})

/** A cache of objects for a project whose files are compared by content. */
function objectsOf(project: string, onDamaged = (): void => undefined): ResultCache {
  return new ResultCache({
    folder: path.join(folder, 'objects'),
    projectFolder: project,
    contentFolders: [project],
    nameOf: (key) => `${key}.o`,
    onDamaged,
  })
}

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
    const cache = objectsOf(project)
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
      return { project, cache: objectsOf(project) }
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

  it('a file that was missing when it was looked for is part of the key', () => {
    const cache = objectsOf(folder)
    const made = cache.temporary()
    fs.writeFileSync(made, 'library')
    const missing = path.join(folder, 'libfoo.so')
    cache.store('key', made, [missing], '')
    expect(cache.find('key')).toBeDefined()
    fs.writeFileSync(missing, 'a library that is found first')
    expect(cache.find('key')).toBeUndefined()
  })
})

describe('damaged cache entries', () => {
  const text = 'an object of some length'

  /** A cache with one object in it, once the disk has it. */
  async function storeOne(): Promise<{ cache: ResultCache; file: string; remarks: () => number }> {
    let count = 0
    const cache = objectsOf(folder, () => {
      count += 1
    })
    const made = cache.temporary()
    fs.writeFileSync(made, text)
    const { file } = cache.store('key', made, [], 'a warning')
    await expect.poll(() => isSealed(file, text.length)).toBe(true)
    expect(cache.find('key')?.file).toBe(file)
    return { cache, file, remarks: () => count }
  }

  it.each([
    ['empty', (file: string) => fs.writeFileSync(file, '')],
    ['cut in half', (file: string) => fs.truncateSync(file, text.length / 2)],
    ['changed in place', (file: string) => fs.writeFileSync(file, text.toUpperCase())],
  ])('an object that is %s is not used, and replaced by the next one', async (_, damage) => {
    const { cache, file, remarks } = await storeOne()
    damage(file)
    expect(cache.find('key')).toBeUndefined()
    expect(remarks()).toBe(1)
    const again = cache.temporary()
    fs.writeFileSync(again, text)
    cache.store('key', again, [], 'a warning')
    expect(cache.find('key')).toMatchObject({ file, output: 'a warning' })
    expect(remarks()).toBe(1)
  })

  it('damaged compiler output makes its object unusable', async () => {
    const { cache, file, remarks } = await storeOne()
    fs.writeFileSync(file.replace(/\.o$/, '.txt'), '')
    expect(cache.find('key')).toBeUndefined()
    expect(remarks()).toBe(1)
  })

  it('an object whose time was changed is compared by its hash, and used', async () => {
    const { cache, file, remarks } = await storeOne()
    fs.utimesSync(file, new Date(), new Date())
    expect(cache.find('key')?.file).toBe(file)
    expect(remarks()).toBe(0)
    await expect.poll(() => isSealed(file, text.length)).toBe(true)
  })

  it.each(['[{"headers":', '[null]', 'null', '[{"inputs":[]}]'])(
    'the index %s is damaged, and holds nothing',
    async (content) => {
      const { cache, remarks } = await storeOne()
      fs.writeFileSync(path.join(folder, 'objects', 'key.json'), content)
      expect(cache.find('key')).toBeUndefined()
      expect(remarks()).toBe(1)
      const again = cache.temporary()
      fs.writeFileSync(again, text)
      cache.store('key', again, [], '')
      expect(cache.find('key')).toBeDefined()
    },
  )

  it('an object that is gone is no damage', async () => {
    const { cache, file, remarks } = await storeOne()
    fs.rmSync(file)
    expect(cache.find('key')).toBeUndefined()
    expect(remarks()).toBe(0)
  })

  it('a folder is damaged when one of its files is cut, or its index is', async () => {
    const place = async (): Promise<string> => {
      const temporary = fs.mkdtempSync(path.join(folder, 'new-'))
      fs.mkdirSync(path.join(temporary, 'stubs'))
      fs.writeFileSync(path.join(temporary, 'stubs', 'lib.so'), text)
      fs.writeFileSync(path.join(temporary, 'lean.pch'), text)
      const target = `${temporary}-placed`
      await placeSealedFolder(temporary, target)
      return target
    }
    const placed = await place()
    expect(folderState(placed)).toBe('intact')
    expect(folderState(`${placed}-other`)).toBe('missing')
    fs.truncateSync(path.join(placed, 'stubs', 'lib.so'), 3)
    expect(folderState(placed)).toBe('damaged')
    for (const name of ['stubs/lib.so', 'lean.pch', 'contents.json']) {
      const other = await place()
      fs.rmSync(path.join(other, name))
      expect(folderState(other), name).toBe('damaged')
    }
  })
})

describe('files that the flags of a link name', () => {
  it('archives, scripts and libraries that may be found are named', () => {
    for (const name of ['a.o', 'x.map', 'flags.rsp']) fs.writeFileSync(path.join(folder, name), '')
    const flags = [
      'a.o',
      '-Llib',
      '-L',
      '/opt/lib',
      '-lfoo',
      '-Wl,--version-script=x.map,-z,now',
      '@flags.rsp',
      '-Xlinker',
      '-lbar',
      'missing.o',
    ]
    const inside = (name: string): string => path.join(folder, name)
    expect(namedByFlags(flags, folder).toSorted()).toEqual(
      [
        inside('a.o'),
        inside('x.map'),
        inside('flags.rsp'),
        inside('lib/libfoo.so'),
        inside('lib/libfoo.a'),
        inside('lib/libbar.so'),
        inside('lib/libbar.a'),
        '/opt/lib/libfoo.so',
        '/opt/lib/libfoo.a',
        '/opt/lib/libbar.so',
        '/opt/lib/libbar.a',
      ].toSorted(),
    )
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

  it('old states of the virtual GPU are removed, and what was used last stays', () => {
    const runtimes = gpuCacheFolder(folder, 'runtime')
    for (const [index, name] of ['old', 'middle', 'new'].entries()) {
      const entry = path.join(runtimes, name)
      fs.mkdirSync(entry, { recursive: true })
      fs.writeFileSync(path.join(entry, 'library.so'), '')
      fs.truncateSync(path.join(entry, 'library.so'), 30 * 2 ** 20)
      fs.utimesSync(entry, 1000 + index, 1000 + index)
    }
    touchEntry(path.join(runtimes, 'old'))
    pruneGpuCache(folder)
    expect(fs.readdirSync(runtimes).sort()).toEqual(['new', 'old'])
    touchEntry(path.join(runtimes, 'pruned'))
    expect(fs.readdirSync(runtimes).sort()).toEqual(['new', 'old'])
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
