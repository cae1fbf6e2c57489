import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { versionOf } from '../../electron/engine/project/files'
import { watchProject } from '../../electron/engine/project/watch-project'
import type { ProjectWatcher } from '../../electron/engine/project/watch-project'

let folder: string
let watcher: ProjectWatcher | undefined
let told: Map<string, string>

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-watch-'))
  told = new Map()
  fs.mkdirSync(path.join(folder, 'src'))
  fs.writeFileSync(path.join(folder, 'src', 'op.cpp'), 'before')
})
afterEach(async () => {
  await watcher?.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const version = (text: string): string => versionOf(Buffer.from(text))

function watch(): void {
  watcher = watchProject(folder, (file, seen) => told.set(file, seen))
}

it('changes made while the watch starts are reported', async () => {
  fs.writeFileSync(path.join(folder, 'old.h'), 'old')
  // What is clearly older than the watch is no news.
  await new Promise((resolve) => setTimeout(resolve, 100))
  watch()
  fs.writeFileSync(path.join(folder, 'src', 'op.cpp'), 'after')
  fs.writeFileSync(path.join(folder, 'new.cpp'), 'new')
  await expect.poll(() => told.get('src/op.cpp')).toBe(version('after'))
  await expect.poll(() => told.get('new.cpp')).toBe(version('new'))
  expect(told.has('old.h')).toBe(false)
})

it('changed and removed files are reported, and ignored folders are not', async () => {
  watch()
  fs.writeFileSync(path.join(folder, 'first.h'), 'first')
  await expect.poll(() => told.get('first.h')).toBe(version('first'))
  fs.mkdirSync(path.join(folder, 'build'))
  fs.writeFileSync(path.join(folder, 'build', 'libx.so'), 'built')
  fs.writeFileSync(path.join(folder, 'src', 'op.cpp'), 'after')
  fs.rmSync(path.join(folder, 'first.h'))
  await expect.poll(() => told.get('src/op.cpp')).toBe(version('after'))
  await expect.poll(() => told.get('first.h')).toBe('')
  expect([...told.keys()].filter((file) => file.startsWith('build'))).toEqual([])
})

it('a link to a file is watched, and what is behind a link to a folder is not', async () => {
  const outside = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-outside-'))
  try {
    fs.writeFileSync(path.join(outside, 'shared.h'), 'before')
    fs.symlinkSync(outside, path.join(folder, 'data'))
    fs.symlinkSync(path.join(outside, 'shared.h'), path.join(folder, 'shared.h'))
    watch()
    fs.writeFileSync(path.join(folder, 'first.h'), 'first')
    await expect.poll(() => told.get('first.h')).toBe(version('first'))
    fs.writeFileSync(path.join(outside, 'large.h'), 'large')
    fs.writeFileSync(path.join(outside, 'shared.h'), 'after')
    await expect.poll(() => told.get('shared.h')).toBe(version('after'))
    expect([...told.keys()].filter((file) => file.startsWith('data'))).toEqual([])
  } finally {
    fs.rmSync(outside, { recursive: true })
  }
})

it('a write that leaves the time of change as it was is reported', async () => {
  // As one long write does: its time is that of its beginning, and the file was read since.
  const write = (text: string): void => {
    fs.writeFileSync(path.join(folder, 'src', 'op.cpp'), text)
    fs.utimesSync(path.join(folder, 'src', 'op.cpp'), new Date(), new Date(2026, 0))
  }
  watch()
  write('first')
  await expect.poll(() => told.get('src/op.cpp')).toBe(version('first'))
  write('first, and second')
  await expect.poll(() => told.get('src/op.cpp')).toBe(version('first, and second'))
})
