import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { appCalls } from '../../electron/contract/app-calls'
import { defaultSettings } from '../../electron/contract/settings'
import type { BuildReport } from '../../electron/contract/build'
import { findInstallation } from '../../electron/engine/installation'
import { hashOfFile, recordFile, treeOf } from '../../electron/engine/project-export/file-tree'
import { diffTree, writeTree } from '../../electron/engine/project-export/write-export'
import { createProjectFile, writeProjectFile } from '../../electron/engine/project/files'
import {
  insideProject,
  isReallyWithin,
  joinInside,
  withoutLinks,
} from '../../electron/engine/project/inside'
import { OpenProject } from '../../electron/engine/project/open-project'
import { parseManifest } from '../../electron/engine/project/read-manifest'
import { copySample } from '../../electron/engine/project/samples'
import { KeptBuilds } from '../../electron/engine/timing/kept-builds'
import { root } from '../support/installation'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-inside-'))
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

const place = (...parts: string[]): string => path.join(folder, ...parts)

function put(file: string, text: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
  return file
}

describe('a name from elsewhere', () => {
  it('is joined with a folder only where the result is below the folder', () => {
    expect(joinInside('/a/b', 'c/d')).toBe('/a/b/c/d')
    expect(joinInside('/a/b', './c/../d')).toBe('/a/b/d')
    expect(joinInside('/a/b', '..c')).toBe('/a/b/..c')
    for (const name of ['', '.', '..', '../b2', '../b/../../x', '/a/b/c', 'c/../..', 'c\0d'])
      expect(joinInside('/a/b', name), name).toBeUndefined()
  })

  it('is refused below a link that leads out of the project, and to write below any link', async () => {
    fs.mkdirSync(place('project/own'), { recursive: true })
    fs.symlinkSync('own', place('project/inside'))
    fs.symlinkSync(folder, place('project/outside'))
    expect((await insideProject(place('project'), 'inside/new.h')).ok).toBe(true)
    expect((await insideProject(place('project'), 'outside/new.h')).ok).toBe(false)
    fs.symlinkSync(place('not-there-yet'), place('project/dangling'))
    fs.symlinkSync('circle', place('project/circle'))
    expect((await insideProject(place('project'), 'dangling')).ok).toBe(false)
    expect((await insideProject(place('project'), 'circle/x')).ok).toBe(true)
    expect((await withoutLinks(place('project'), 'own/new.h')).ok).toBe(true)
    expect((await withoutLinks(place('project'), 'inside/new.h')).ok).toBe(false)
    expect(await isReallyWithin(place('project/outside/x'), place('project'))).toBe(false)
  })

  it("is refused where it is in git's folder, by its own name or by a link", async () => {
    fs.mkdirSync(place('.git/hooks'), { recursive: true })
    fs.symlinkSync('.git/hooks', place('hooks'))
    for (const name of ['.git/hooks/pre-commit', 'hooks/pre-commit', '.GIT/config', '.git']) {
      const written = await writeProjectFile(folder, name, 'echo ran', '')
      expect(written, name).toMatchObject({ ok: false, error: { code: 'request.invalid' } })
      expect((await createProjectFile(folder, name)).ok).toBe(false)
    }
    expect(fs.readdirSync(place('.git/hooks'))).toEqual([])
    expect((await createProjectFile(folder, '.gitignore')).ok).toBe(true)
  })
})

describe('an export over a folder that is there', () => {
  const names = { project: 'my_op', form: 'library' as const }
  const tree = treeOf({ 'README.md': 'new' })

  function plant(directory: string, files: Record<string, string>): void {
    put(
      path.join(directory, recordFile),
      JSON.stringify({ project: 'my_op', form: 'library', files }),
    )
  }

  it('deletes nothing outside it that its record names', async () => {
    const precious = put(place('.bashrc'), 'precious')
    const hash = hashOfFile(Buffer.from('precious'))
    for (const name of ['../.bashrc', precious]) {
      plant(place('library'), { [name]: hash })
      const written = await writeTree(place('library'), tree, names, { '*': 'overwrite' })
      expect(written).toMatchObject({ ok: false, error: { code: 'file.conflict' } })
      expect(fs.readFileSync(precious, 'utf8')).toBe('precious')
    }
  })

  it('writes and deletes nothing through a link, in it or in its place', async () => {
    const precious = put(place('home/notes'), 'precious')
    plant(place('library'), { 'home/notes': hashOfFile(Buffer.from('precious')) })
    fs.symlinkSync(place('home'), place('library/home'))
    const through = await writeTree(place('library'), tree, names, { '*': 'overwrite' })
    expect(through.ok).toBe(false)
    plant(place('home'), { notes: hashOfFile(Buffer.from('precious')) })
    fs.symlinkSync(place('home'), place('cmake'))
    expect((await diffTree(place('cmake'), tree)).ok).toBe(false)
    expect((await writeTree(place('cmake'), tree, names, { '*': 'overwrite' })).ok).toBe(false)
    expect(fs.readFileSync(precious, 'utf8')).toBe('precious')
    expect(fs.existsSync(place('home/README.md'))).toBe(false)
  })

  it('counts a link in the place of a file as changed by hand', async () => {
    const first = await writeTree(place('library'), tree, names, {})
    expect(first.ok).toBe(true)
    fs.rmSync(place('library/README.md'))
    fs.symlinkSync(put(place('mine.md'), 'mine'), place('library/README.md'))
    expect((await writeTree(place('library'), tree, names, {})).ok).toBe(false)
    expect(fs.lstatSync(place('library/README.md')).isSymbolicLink()).toBe(true)
  })
})

describe('a kept build', () => {
  it('is found by its own key alone: a crafted one removes nothing', async () => {
    const kept = new KeptBuilds(folder)
    const manifest = parseManifest('{"name": "my_op", "sources": ["op.cpp"]}', 'opsmith.json')
    if (!manifest.ok) throw new Error(manifest.error.message)
    const project = new OpenProject(findInstallation(path.join(root, 'dist')), {
      folder: place('project'),
      isRestricted: false,
      kernelVariant: 'plain',
      manifest: manifest.value,
      manifestText: '',
      settings: defaultSettings,
    })
    const library = put(place('lib.so'), '')
    const build = { key: 'k', loadPath: library } as BuildReport
    const key = await kept.remember(project, build, undefined)
    const builds = place('bench/builds')
    const [own = ''] = fs.readdirSync(builds)
    put(place('precious/file'), 'precious')
    const crafted = path.relative(path.join(builds, own), place('precious'))
    const record = { key: crafted, name: '', library, sources: {} }
    put(path.join(builds, own, `${crafted}.json`), JSON.stringify(record))
    put(path.join(builds, own, `${'a'.repeat(32)}.json`), JSON.stringify(record))
    for (const one of [crafted, 'a'.repeat(32)])
      expect((await kept.rename(project.folder, one, '')).ok).toBe(false)
    expect(fs.existsSync(place('precious/file'))).toBe(true)
    expect((await kept.rename(project.folder, key, 'good')).ok).toBe(true)
    const input = { folder, key: crafted, name: '' }
    expect(appCalls['timing.nameBuild'].input.safeParse(input).success).toBe(false)
  })
})

it('a sample is copied under its own name alone', async () => {
  const installation = { ...findInstallation(path.join(root, 'dist')), dataFolder: place('data') }
  for (const name of ['../../my_op', 'my_op/..', '..', '', 'my_op/../my_op/x'])
    expect((await copySample(installation, name, place('projects'))).ok, name).toBe(false)
  const copied = await copySample(installation, 'my_op', place('projects'))
  expect(copied).toEqual({ ok: true, value: { folder: place('projects/my_op') } })
  expect(fs.readdirSync(folder)).toEqual(['projects'])
})
