import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { logFile } from '../../electron/engine/log-file'
import { findPlaces } from '../../electron/engine/places'
import type { Places } from '../../electron/engine/places'
import { keepLayout, readLayout } from '../../electron/engine/project/layout-file'
import { takeOverOlderPlaces } from '../../electron/engine/project/older-places'
import { readSettings } from '../../electron/engine/project/settings-file'
import { Trust } from '../../electron/engine/project/trust'
import { unreadFiles } from '../../electron/engine/project/unread-files'
import { keepAside } from '../../electron/engine/project/write-over'

let home: string
let places: Places
beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-places-')))
  vi.stubEnv('HOME', home)
  places = findPlaces({})
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(home, { recursive: true, force: true })
})

function put(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

const read = (...parts: string[]): string => fs.readFileSync(path.join(...parts), 'utf8')
const inCache = (...parts: string[]): string => path.join(places.cacheFolder, ...parts)
const logged = (): string => read(logFile(places.stateFolder))

it('the places are those of the XDG specification; a variable that is no absolute path is ignored', () => {
  expect(places).toEqual({
    configFolder: path.join(home, '.config/opsmith'),
    dataFolder: path.join(home, '.local/share/opsmith'),
    stateFolder: path.join(home, '.local/state/opsmith'),
    cacheFolder: path.join(home, '.cache/opsmith'),
  })
  const others = findPlaces({ XDG_CONFIG_HOME: '/etc/me', XDG_DATA_HOME: 'data' })
  expect(others.configFolder).toBe('/etc/me/opsmith')
  expect(others.dataFolder).toBe(places.dataFolder)
})

describe('what an earlier version kept in the cache', () => {
  it('moves to its places, once, and the log says so', async () => {
    put(inCache('settings.json'), '{"fontSize": 15}')
    put(inCache('drafts/p/a.json'), 'typed')
    put(inCache('bench/times/p/k.json'), 'times')
    put(inCache('bench/ceilings/k.json'), 'can be measured again')
    put(inCache('layout.json'), '{"version":1}')
    await takeOverOlderPlaces(places)
    expect(read(places.configFolder, 'settings.json')).toBe('{"fontSize": 15}')
    expect(read(places.dataFolder, 'drafts/p/a.json')).toBe('typed')
    expect(read(places.dataFolder, 'bench/times/p/k.json')).toBe('times')
    expect(read(places.stateFolder, 'layout.json')).toBe('{"version":1}')
    expect(fs.readdirSync(places.cacheFolder)).toEqual(['bench'])
    expect(fs.readdirSync(inCache('bench'))).toEqual(['ceilings'])
    expect(logged()).toContain(`moved ${inCache('drafts')} to ${places.dataFolder}/drafts`)
    const before = logged()
    await takeOverOlderPlaces(places)
    expect(logged()).toBe(before)
  })

  it('does not replace what is at the new place already', async () => {
    put(inCache('settings.json'), '{"fontSize": 15}')
    put(path.join(places.configFolder, 'settings.json'), '{"fontSize": 16}')
    put(inCache('drafts/p/a.json'), 'old')
    put(inCache('drafts/p/b.json'), 'only here')
    put(path.join(places.dataFolder, 'drafts/p/a.json'), 'new')
    await takeOverOlderPlaces(places)
    expect(read(places.configFolder, 'settings.json')).toBe('{"fontSize": 16}')
    expect(read(places.dataFolder, 'drafts/p/a.json')).toBe('new')
    expect(read(places.dataFolder, 'drafts/p/b.json')).toBe('only here')
    expect(read(inCache('drafts/p/a.json'))).toBe('old')
    expect(logged()).toContain(`did not move ${inCache('settings.json')}`)
  })

  it('may be on another file system', async (test) => {
    const elsewhere = '/dev/shm'
    const isOther = fs.existsSync(elsewhere) && fs.statSync(elsewhere).dev !== fs.statSync(home).dev
    if (!isOther) test.skip(`${elsewhere} is not another file system`)
    const cacheFolder = fs.mkdtempSync(path.join(elsewhere, 'opsmith-places-'))
    try {
      put(path.join(cacheFolder, 'drafts/p/a.json'), 'typed')
      await takeOverOlderPlaces({ ...places, cacheFolder })
      expect(read(places.dataFolder, 'drafts/p/a.json')).toBe('typed')
      expect(fs.readdirSync(cacheFolder)).toEqual([])
      expect(fs.readdirSync(places.dataFolder)).toEqual(['drafts'])
    } finally {
      fs.rmSync(cacheFolder, { recursive: true })
    }
  })

  it('projects stay where they are, in the usual folder of before', async () => {
    fs.mkdirSync(path.join(home, 'opsmith/my_op'), { recursive: true })
    put(inCache('settings.json'), '{"projectsFolder": ""}')
    await takeOverOlderPlaces(places)
    const { projectsFolder } = await readSettings(places.configFolder)
    expect(projectsFolder).toBe(path.join(home, 'opsmith'))
  })
})

describe('what a newer version wrote', () => {
  it('is named, and not written over without a copy', async () => {
    const layout = path.join(places.stateFolder, 'layout.json')
    const trust = path.join(places.dataFolder, 'trust.json')
    put(path.join(places.configFolder, 'settings.json'), '{"theme": "solarized", "fontSize": 15}')
    put(layout, '{"version":2,"panes":[]}')
    put(trust, '{"folders":[]}')
    const sentences = await unreadFiles(places)
    expect(sentences).toHaveLength(3)
    expect(sentences[0]).toContain('cannot read the setting theme')
    expect(sentences[1]).toContain(trust)
    expect(sentences[2]).toContain(layout)

    await keepLayout(places.stateFolder, '{"version":1}')
    expect(read(`${layout}.unread`)).toBe('{"version":2,"panes":[]}')
    expect(await readLayout(places.stateFolder)).toBe('{"version":1}')
    await new Trust({ ...places, samplesFolder: home }).decide(home, 'trusted')
    expect(read(`${trust}.unread`)).toBe('{"folders":[]}')
    expect(await unreadFiles(places)).toHaveLength(1)
  })

  it('has a name of its own for each text that is kept', async () => {
    const file = path.join(home, 'x.json')
    expect(await keepAside(file, 'one')).toBe(`${file}.unread`)
    expect(await keepAside(file, 'one')).toBe(`${file}.unread`)
    expect(await keepAside(file, 'two')).toBe(`${file}.unread-2`)
    expect(read(`${file}.unread`)).toBe('one')
  })
})
