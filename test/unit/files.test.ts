import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { dropDraft, keepDraft, listDrafts } from '../../electron/engine/project/drafts'
import {
  createProjectFile,
  makeFolder,
  readProjectFile,
  writeProjectFile,
} from '../../electron/engine/project/files'
import { changeSettings, readSettings } from '../../electron/engine/project/settings-file'

let folder: string
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'opsmith-files-'))
})
afterEach(async () => {
  await fs.rm(folder, { recursive: true })
})

describe('folders', () => {
  it('a missing folder is made together with the missing folders above it', async () => {
    const deep = path.join(folder, 'a/b/c')
    expect(await makeFolder(deep)).toBe(path.join(folder, 'a'))
    expect((await fs.stat(deep)).isDirectory()).toBe(true)
    expect(await makeFolder(deep)).toBe('')
  })

  it('a folder below a broken link or below a file is refused', async () => {
    await fs.symlink(path.join(folder, 'unmounted'), path.join(folder, 'link'))
    await fs.writeFile(path.join(folder, 'file'), '')
    const codeOf = async (name: string): Promise<unknown> =>
      await makeFolder(path.join(folder, name)).catch((error: unknown) =>
        Reflect.get(Object(error) as object, 'code'),
      )
    expect(await codeOf('link/out/library')).toBe('ENOENT')
    expect(await codeOf('file/out')).toBe('ENOTDIR')
    expect(await codeOf('file')).toBe('EEXIST')
  })
})

describe('project files', () => {
  it('a file is written whole when nobody else wrote it', async () => {
    await fs.writeFile(path.join(folder, 'op.cpp'), 'one')
    const read = await readProjectFile(folder, 'op.cpp')
    if (!read.ok) throw new Error(read.error.message)
    const written = await writeProjectFile(folder, 'op.cpp', 'two', read.value.version)
    expect(written.ok).toBe(true)
    expect(await fs.readFile(path.join(folder, 'op.cpp'), 'utf8')).toBe('two')
    expect(await fs.readdir(folder)).toEqual(['op.cpp'])
  })

  it('a file that somebody else wrote is not overwritten', async () => {
    await fs.writeFile(path.join(folder, 'op.cpp'), 'one')
    const read = await readProjectFile(folder, 'op.cpp')
    if (!read.ok) throw new Error(read.error.message)
    await fs.writeFile(path.join(folder, 'op.cpp'), 'theirs')
    const written = await writeProjectFile(folder, 'op.cpp', 'mine', read.value.version)
    expect(!written.ok && written.error.code).toBe('file.conflict')
    expect(await fs.readFile(path.join(folder, 'op.cpp'), 'utf8')).toBe('theirs')
  })

  it.each(['../outside.cpp', '/etc/passwd', 'a/../../b'])(
    'the path %s is refused',
    async (name) => {
      const read = await readProjectFile(folder, name)
      expect(!read.ok && read.error.code).toBe('request.invalid')
    },
  )

  it('a link that leads outside the project is refused', async () => {
    await fs.symlink('/etc', path.join(folder, 'link'))
    const read = await readProjectFile(folder, 'link/passwd')
    expect(!read.ok && read.error.code).toBe('request.invalid')
  })

  it('creating a file over an existing one is refused', async () => {
    expect((await createProjectFile(folder, 'new/a.h')).ok).toBe(true)
    expect((await createProjectFile(folder, 'new/a.h')).ok).toBe(false)
  })
})

describe('drafts', () => {
  it('a draft returns as it was typed until it is dropped', async () => {
    await keepDraft(folder, '/p', { path: 'src/op.cpp', text: 'typed', baseVersion: 'v' })
    expect(await listDrafts(folder, '/p')).toEqual([
      { path: 'src/op.cpp', text: 'typed', baseVersion: 'v' },
    ])
    expect(await listDrafts(folder, '/other')).toEqual([])
    await dropDraft(folder, '/p', 'src/op.cpp')
    expect(await listDrafts(folder, '/p')).toEqual([])
  })
})

describe('settings', () => {
  it('settings that are not changed stay, also unknown keys', async () => {
    await fs.writeFile(path.join(folder, 'settings.json'), '{"fontSize": 15, "future": 1}')
    const changed = await changeSettings(folder, { theme: 'dark' })
    expect(changed).toMatchObject({ fontSize: 15, theme: 'dark', future: 1 })
  })

  it('changes that come together are applied one after the other', async () => {
    await Promise.all([
      changeSettings(folder, { optimization: 'O1' }),
      changeSettings(folder, { fastMath: true }),
      changeSettings(folder, { marchNative: true }),
    ])
    const all = { optimization: 'O1', fastMath: true, marchNative: true }
    expect(await readSettings(folder)).toMatchObject(all)
  })

  it('a broken settings file gives the defaults, and is kept aside before it is written over', async () => {
    await fs.writeFile(path.join(folder, 'settings.json'), '{"fontSize": ')
    expect((await readSettings(folder)).fontSize).toBe(13)
    expect(await fs.readFile(path.join(folder, 'settings.json'), 'utf8')).toBe('{"fontSize": ')
    await changeSettings(folder, { theme: 'dark' })
    expect(await fs.readFile(path.join(folder, 'settings.json.unread'), 'utf8')).toBe(
      '{"fontSize": ',
    )
  })

  it('a value of a newer version gives the default of that setting alone, and stays in the file', async () => {
    const file = path.join(folder, 'settings.json')
    await fs.writeFile(file, '{"fontSize": 15, "theme": "solarized"}')
    expect(await readSettings(folder)).toMatchObject({ fontSize: 15, theme: 'system' })
    await changeSettings(folder, { fontSize: 16 })
    const kept = { fontSize: 16, theme: 'solarized' }
    expect(JSON.parse(await fs.readFile(file, 'utf8'))).toMatchObject(kept)
    await changeSettings(folder, { theme: 'light' })
    expect(JSON.parse(await fs.readFile(file, 'utf8'))).toMatchObject({ theme: 'light' })
  })
})
