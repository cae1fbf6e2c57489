import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import {
  changeable,
  createFolder,
  duplicateInProject,
  importIntoProject,
  listFolders,
  moveInProject,
} from '../../electron/engine/project/file-operations'
import { moveToTrash } from '../../electron/engine/project/trash'

let base: string
let folder: string
const at = (...parts: string[]): string => path.join(folder, ...parts)
const read = (...parts: string[]): string => fs.readFileSync(at(...parts), 'utf8')

beforeEach(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-files-'))
  folder = path.join(base, 'project')
  fs.mkdirSync(at('src'), { recursive: true })
  fs.mkdirSync(at('.git'))
  fs.mkdirSync(path.join(base, 'elsewhere'))
  fs.writeFileSync(at('op.cpp'), 'op')
  fs.writeFileSync(at('src', 'kernel.cu'), 'kernel')
  fs.writeFileSync(at('.clangd'), '')
  fs.symlinkSync(path.join(base, 'elsewhere'), at('link'))
  fs.symlinkSync(at('op.cpp'), at('same.cpp'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(base, { recursive: true, force: true })
})

describe('the entries of folders', () => {
  it('hidden files are there, git is not, and nothing behind a link is listed', async () => {
    const [own, src, ...others] = await listFolders(folder, ['', 'src', 'link', 'gone', '..'])
    const kinds = Object.fromEntries(own?.entries.map(({ name, kind }) => [name, kind]) ?? [])
    expect(kinds).toEqual({
      '.clangd': 'file',
      'op.cpp': 'file',
      'same.cpp': 'file',
      link: 'linkedFolder',
      src: 'folder',
    })
    expect(src?.entries).toEqual([{ name: 'kernel.cu', kind: 'file' }])
    expect(others).toEqual([])
  })
})

describe('a change of files', () => {
  it('renames, moves and makes folders, and overwrites nothing', async () => {
    expect(await moveInProject(folder, 'op.cpp', 'src/new/op2.cpp')).toMatchObject({ ok: true })
    expect(read('src', 'new', 'op2.cpp')).toBe('op')
    const taken = await moveInProject(folder, 'src/new/op2.cpp', 'src/kernel.cu')
    expect(taken).toMatchObject({ ok: false, error: { code: 'io' } })
    expect(read('src', 'kernel.cu')).toBe('kernel')
    expect(await moveInProject(folder, 'src', 'src/inner')).toMatchObject({ ok: false })
    expect(await createFolder(folder, 'a/b')).toMatchObject({ ok: true })
    expect(await createFolder(folder, 'a/b')).toMatchObject({ ok: false })
  })

  it('reaches nothing outside, nothing behind a link and nothing of git', async () => {
    fs.writeFileSync(path.join(base, 'elsewhere', 'theirs.cpp'), 'theirs')
    for (const name of [
      '../elsewhere/theirs.cpp',
      'link/theirs.cpp',
      '.git/config',
      '.GIT',
      '',
      '.',
    ])
      expect(await changeable(folder, name), name).toMatchObject({ ok: false })
    expect(await moveInProject(folder, 'op.cpp', 'link/op.cpp')).toMatchObject({ ok: false })
    expect(await createFolder(folder, 'link/made')).toMatchObject({ ok: false })
    expect(fs.readdirSync(path.join(base, 'elsewhere'))).toEqual(['theirs.cpp'])
    // A link is a name like others: it is renamed, and what it leads to is not touched.
    expect(await moveInProject(folder, 'link', 'other')).toMatchObject({ ok: true })
    expect(fs.readlinkSync(at('other'))).toBe(path.join(base, 'elsewhere'))
  })

  it('duplicates under a free name, folders with what is in them', async () => {
    expect(await duplicateInProject(folder, 'op.cpp')).toEqual({
      ok: true,
      value: { path: 'op copy.cpp' },
    })
    expect(await duplicateInProject(folder, 'op.cpp')).toMatchObject({
      value: { path: 'op copy 2.cpp' },
    })
    expect(await duplicateInProject(folder, 'src')).toMatchObject({ value: { path: 'src copy' } })
    expect(read('src copy', 'kernel.cu')).toBe('kernel')
  })

  it('copies what comes from outside, beside what is there, and links as links', async () => {
    const theirs = path.join(base, 'elsewhere', 'op.cpp')
    fs.writeFileSync(theirs, 'theirs')
    const tree = path.join(base, 'elsewhere', 'tree')
    fs.mkdirSync(tree)
    fs.symlinkSync('/etc', path.join(tree, 'etc'))
    const copied = await importIntoProject(folder, '', [theirs, tree])
    expect(copied).toEqual({ ok: true, value: { paths: ['op copy.cpp', 'tree'] } })
    expect(read('op.cpp')).toBe('op')
    expect(read('op copy.cpp')).toBe('theirs')
    expect(fs.readlinkSync(at('tree', 'etc'))).toBe('/etc')
    expect(await importIntoProject(folder, 'link', [theirs])).toMatchObject({ ok: false })
    expect(await importIntoProject(folder, 'src', [base])).toMatchObject({ ok: false })
  })
})

describe('the trash', () => {
  it('takes files as freedesktop.org says, so that file managers can put them back', async () => {
    vi.stubEnv('XDG_DATA_HOME', path.join(base, 'data'))
    fs.writeFileSync(at('100% ü.txt'), 'text')
    for (const name of ['100% ü.txt', 'src', 'same.cpp']) await moveToTrash(at(name))
    fs.mkdirSync(at('src'))
    await moveToTrash(at('src'))
    const trash = path.join(base, 'data', 'Trash')
    expect(fs.readdirSync(path.join(trash, 'files')).sort()).toEqual(
      ['100% ü.txt', 'same.cpp', 'src', 'src.2'].sort(),
    )
    const record = fs.readFileSync(path.join(trash, 'info', '100% ü.txt.trashinfo'), 'utf8')
    expect(record).toMatch(
      /^\[Trash Info\]\nPath=.*\/project\/100%25%20%C3%BC\.txt\nDeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\n$/,
    )
    // The link went, and the file that it led to is there.
    expect(read('op.cpp')).toBe('op')
    expect(fs.existsSync(at('src'))).toBe(false)
  })

  it('a file that cannot be moved leaves no record', async () => {
    vi.stubEnv('XDG_DATA_HOME', path.join(base, 'data'))
    await expect(moveToTrash(at('gone.cpp'))).rejects.toThrow()
    expect(fs.readdirSync(path.join(base, 'data', 'Trash', 'info'))).toEqual([])
  })
})
