import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { findInstallation } from '../../electron/engine/installation'
import type { Installation } from '../../electron/engine/installation'
import { Projects } from '../../electron/engine/project/open-project'
import { Trust } from '../../electron/engine/project/trust'
import { root } from '../support/installation'

let folder: string
let installation: Installation
let trust: Trust
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-trust-')))
  installation = { ...findInstallation(path.join(root, 'dist')), dataFolder: place('data') }
  trust = new Trust(installation)
  fs.mkdirSync(place('work/project'), { recursive: true })
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

const place = (...parts: string[]): string => path.join(folder, ...parts)

describe('trust', () => {
  it('is unknown until the user decides, and the nearest decision counts', async () => {
    expect(await trust.of(place('work/project'))).toBe('unknown')
    await trust.decide(place('work'), 'trusted')
    expect(await trust.of(place('work/project'))).toBe('trusted')
    expect(await trust.of(place('work2'))).toBe('unknown')
    await trust.decide(place('work/project'), 'restricted')
    expect(await trust.of(place('work/project/src'))).toBe('restricted')
    expect(await trust.of(place('work/other'))).toBe('trusted')
    // Another window, and the next start, know it too.
    expect(await new Trust(installation).of(place('work/project'))).toBe('restricted')
  })

  it('of a folder decides for all below it, whatever was decided there before', async () => {
    await trust.decide(place('work/project'), 'restricted')
    await trust.decide(place('work'), 'trusted')
    expect(await trust.list()).toEqual([{ folder: place('work'), trust: 'trusted' }])
  })

  it('can be taken back', async () => {
    await trust.decide(place('work'), 'trusted')
    await trust.forget(place('work'))
    expect(await trust.of(place('work/project'))).toBe('unknown')
    expect(await trust.list()).toEqual([])
  })

  it('belongs to the folder that a link leads to, not to the place of the link', async () => {
    fs.mkdirSync(place('elsewhere'))
    fs.symlinkSync(place('elsewhere'), place('work/link'))
    await trust.decide(place('work'), 'trusted')
    expect(await trust.of(place('work/link'))).toBe('unknown')
    await trust.decide(place('work/link'), 'trusted')
    expect(await trust.of(place('elsewhere'))).toBe('trusted')
  })

  it('of the samples is given, and of a damaged file nothing is', async () => {
    expect(await trust.of(path.join(root, 'samples/my_op'))).toBe('trusted')
    await trust.decide(place('work'), 'trusted')
    fs.writeFileSync(place('data/trust.json'), '{"trusted": [1]}')
    expect(await trust.of(place('work/project'))).toBe('unknown')
  })

  it('that cannot be written holds until the end of the process', async () => {
    fs.writeFileSync(place('data'), 'no folder')
    await expect(trust.decide(place('work'), 'trusted')).rejects.toThrow()
    expect(await trust.of(place('work/project'))).toBe('trusted')
    await expect(trust.forget(place('work'))).rejects.toThrow()
    expect(await trust.of(place('work/project'))).toBe('unknown')
  })
})

describe('a project that is not trusted', () => {
  it('chooses no compiler: the one that it names is not run', async () => {
    const marker = place('ran')
    const compiler = place('work/project/clang++')
    fs.writeFileSync(compiler, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
    fs.writeFileSync(
      place('work/project/opsmith.json'),
      JSON.stringify({ name: 'x', sources: ['op.cpp'], program: 'p.py', toolchain: { compiler } }),
    )
    fs.writeFileSync(place('work/project/p.py'), '')
    const projects = new Projects(installation, true)
    const opened = await projects.open(place('work/project'))
    if (!opened.ok) throw new Error(opened.error.message)
    const refused = { ok: false, error: { code: 'project.restricted' } }
    expect(await opened.value.toolchain()).toMatchObject(refused)
    expect(await opened.value.program()).toMatchObject(refused)
    expect(fs.existsSync(marker)).toBe(false)

    await projects.trust.decide(place('work'), 'trusted')
    const trusted = await projects.open(place('work/project'))
    if (!trusted.ok) throw new Error(trusted.error.message)
    expect(await trusted.value.toolchain()).toMatchObject({ error: { code: 'toolchain.missing' } })
    expect(fs.existsSync(marker)).toBe(true)
  })
})
