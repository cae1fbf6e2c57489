import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { BuildHistory } from '../../electron/engine/builds/build-history'
import { diskError } from '../../electron/engine/project/file-errors'
import { writeAtomically } from '../../electron/engine/project/files'
import { changeSettings, readSettings } from '../../electron/engine/project/settings-file'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-disk-'))
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

it('what the disk refuses is an error that names the file, and a bug is none of these', async () => {
  fs.mkdirSync(path.join(folder, 'a/b'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'file'), '')
  const inPlace = diskError(await errorOf(writeAtomically(path.join(folder, 'a'), 'x')))
  expect(inPlace).toMatchObject({ code: 'io' })
  expect(inPlace?.message).toContain(path.join(folder))
  const below = diskError(await errorOf(writeAtomically(path.join(folder, 'file/x'), 'x')))
  expect(below?.message).toMatch(/part of its path is not a folder|it exists already/)
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
  expect(diskError(full)).toMatchObject({
    message: 'Could not write to the disk: the disk is full.',
  })
  expect(diskError(full)?.hint).toMatch(/Free some disk space/)
  const none = diskError(await errorOf(fs.promises.readFile(path.join(folder, 'none'))))
  expect(none?.message).toBe(`Could not open ${path.join(folder, 'none')}: it does not exist.`)
  expect(diskError(new TypeError('a bug'))).toBeUndefined()
})

it('a broken settings file that cannot be kept aside is not written over', async () => {
  fs.writeFileSync(path.join(folder, 'settings.json'), '{"fontSize": ')
  fs.mkdirSync(path.join(folder, 'settings.json.unread/x'), { recursive: true })
  expect((await readSettings(folder)).fontSize).toBe(13)
  expect(diskError(await errorOf(changeSettings(folder, { theme: 'dark' })))?.code).toBe('io')
  expect(fs.readFileSync(path.join(folder, 'settings.json'), 'utf8')).toBe('{"fontSize": ')
})

it('a history that cannot be written costs no result', async () => {
  fs.writeFileSync(path.join(folder, 'history'), 'no folder')
  const history = new BuildHistory(
    path.join(folder, 'history'),
    (value) => value as { build: string },
  )
  expect(await history.add('/p', 'key', { build: '1' })).toBeNull()
})

it('what is being written is named after the process that writes, so that it is found once that was killed', async () => {
  const names: (string | null)[] = []
  const watcher = fs.watch(folder, (_event, name) => names.push(name))
  try {
    await writeAtomically(path.join(folder, 'op.cpp'), 'x')
    await expect.poll(() => names).toContain('op.cpp')
  } finally {
    watcher.close()
  }
  const own = new RegExp(`^\\.op\\.cpp\\.opsmith-${process.pid}-[0-9a-f]{8}$`)
  expect(names).toContainEqual(expect.stringMatching(own))
})
