import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { describeProject } from '../../electron/engine/project/describe-project'
import { setExports } from '../../electron/engine/project/edit-manifest'
import { readProjectFile } from '../../electron/engine/project/files'
import { findProjectFolder } from '../../electron/engine/project/find-project'
import { manifestFolderOf } from '../../electron/engine/project/manifest-place'
import { Projects } from '../../electron/engine/project/open-project'
import { watchProject } from '../../electron/engine/project/watch-project'
import type { Installation } from '../../electron/engine/installation'

let home: string
let sources: string
let apart: string
const write = (text: string): Promise<void> => fs.writeFile(path.join(apart, 'opsmith.json'), text)

beforeEach(async () => {
  home = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'opsmith-elsewhere-')))
  sources = path.join(home, 'sources')
  apart = path.join(home, 'apart')
  await fs.mkdir(path.join(sources, 'csrc'), { recursive: true })
  await fs.mkdir(apart)
  await fs.writeFile(path.join(sources, 'csrc/op.cpp'), '')
  await write('{ "name": "my_op", "root": "../sources", "sources": ["csrc/*.cpp"] }')
})
afterEach(async () => {
  await fs.rm(home, { recursive: true })
})

it('a project is where "root" leads; its opsmith.json is read, listed and edited where it is', async () => {
  expect(await findProjectFolder(apart)).toEqual({ ok: true, value: sources })
  const described = await describeProject(sources)
  expect(described).toMatchObject({
    ok: true,
    value: {
      name: 'my_op',
      folder: sources,
      manifestFile: path.join(apart, 'opsmith.json'),
      files: [
        { path: 'opsmith.json', role: 'manifest' },
        { path: 'csrc/op.cpp', role: 'source' },
      ],
    },
  })
  expect(await setExports(sources, ['library'])).toMatchObject({ ok: true })
  expect(await fs.readFile(path.join(apart, 'opsmith.json'), 'utf8')).toContain('["library"]')
  expect(await readProjectFile(sources, 'opsmith.json')).toMatchObject({
    ok: true,
    value: { path: 'opsmith.json', text: expect.stringContaining('["library"]') as string },
  })
  expect(await fs.readdir(sources)).toEqual(['csrc'])
})

it('the folder itself, when it is opened by its own name, has its own opsmith.json again', async () => {
  await findProjectFolder(apart)
  expect(manifestFolderOf(sources)).toBe(apart)
  expect(await findProjectFolder(sources)).toEqual({ ok: true, value: sources })
  expect(manifestFolderOf(sources)).toBe(sources)
  expect(await describeProject(sources)).toMatchObject({ error: { code: 'project.missing' } })
})

it('a root that is not there is named with its line', async () => {
  await write('{ "name": "my_op",\n  "root": "../gone", "sources": ["csrc/*.cpp"] }')
  expect(await findProjectFolder(apart)).toMatchObject({
    error: {
      message: `opsmith.json, root: there is no folder ${path.join(home, 'gone')}.`,
      file: path.join(apart, 'opsmith.json'),
      line: 2,
    },
  })
})

it('its change is seen as that of opsmith.json', async () => {
  await findProjectFolder(apart)
  const seen: string[] = []
  const watcher = watchProject(sources, (relative) => seen.push(relative))
  try {
    await write(`{ "name": "my_op", "root": "${sources}", "sources": ["other.cpp"] }`)
    await expect.poll(() => seen).toContain('opsmith.json')
  } finally {
    await watcher.close()
  }
})

it('both folders must be trusted: opsmith.json chooses tools that run', async () => {
  await findProjectFolder(apart)
  const installation = {
    dataFolder: path.join(home, 'data'),
    samplesFolder: path.join(home, 'x'),
  }
  const projects = new Projects(installation as Installation, true)
  await projects.trust.decide(sources, 'trusted')
  expect(await projects.isRestricted(sources)).toBe(true)
  await projects.trust.decide(apart, 'trusted')
  expect(await projects.isRestricted(sources)).toBe(false)
})
