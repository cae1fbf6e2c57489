import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { findInstallation } from '../../electron/engine/installation'
import { createProject, listTemplates } from '../../electron/engine/project/new-project'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { listSamples } from '../../electron/engine/project/samples'
import { openInTextEditor } from '../../electron/engine/toolchain/text-editors'
import { root } from '../support/installation'

const installation = findInstallation(path.join(root, 'dist'))
let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-new-project-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true, force: true })
})

describe('a new project', () => {
  it('has its own name in all files, from each template', async () => {
    const templates = await listTemplates(installation)
    expect(templates.map(({ id }) => id)).toEqual([
      'operator',
      'autograd',
      'cuda',
      'stable-abi',
      'class',
      'empty',
    ])
    for (const { id } of templates) {
      const target = path.join(folder, id, 'fused_gelu')
      expect(await createProject(installation, target, id)).toEqual({
        ok: true,
        value: { folder: target },
      })
      const manifest = await readManifest(target)
      if (!manifest.ok) throw new Error(manifest.error.message)
      expect(manifest.value).toMatchObject({ name: 'fused_gelu', sources: ['op.cpp'] })
      expect(fs.readdirSync(target)).not.toContain('template.json')
      for (const file of fs.readdirSync(target)) {
        const text = fs.readFileSync(path.join(target, file), 'utf8')
        expect(text, file).toMatch(/fused_gelu|FusedGelu/)
        expect(text, file).not.toMatch(/my_op|MyOp/i)
      }
    }
  })

  it('is made in an empty repository, and overwrites nothing', async () => {
    const target = path.join(folder, 'again')
    fs.mkdirSync(path.join(target, '.git'), { recursive: true })
    fs.writeFileSync(path.join(target, 'README.md'), 'mine')
    expect(await createProject(installation, target, 'empty')).toMatchObject({ ok: true })
    expect(fs.readFileSync(path.join(target, 'README.md'), 'utf8')).toBe('mine')
    expect(await createProject(installation, target, 'operator')).toMatchObject({
      error: { code: 'io', message: expect.stringContaining('op') as unknown },
    })
    expect(fs.existsSync(path.join(target, 'program.py'))).toBe(false)
  })

  it('has a name that C++ and Python take, and a template that exists', async () => {
    for (const name of ['Gelu', 'a-b', '1st', 'lambda', 'template'])
      expect(
        await createProject(installation, path.join(folder, name), 'operator'),
        name,
      ).toMatchObject({ error: { code: 'request.invalid', path: 'name' } })
    expect(
      await createProject(installation, path.join(folder, 'gelu'), '../operator'),
    ).toMatchObject({ error: { code: 'request.invalid', path: 'template' } })
    expect(fs.readdirSync(folder)).toEqual([])
  })
})

describe('samples', () => {
  it('say what they are examples of', async () => {
    const samples = new Map((await listSamples(installation)).map(({ name, tags }) => [name, tags]))
    expect(samples.get('my_op')).toEqual(['CPU', 'autograd'])
    expect(samples.get('calculate_force')).toEqual(['CPU', 'CUDA', 'autograd'])
    expect(samples.get('warp_perspective')).toContain('OpenCV')
  })

  it('name the first call of their opsmith.json, with the shapes of literal values too', async () => {
    const samples = await listSamples(installation)
    const example = samples.find(({ name }) => name === 'gc_layer')?.example
    expect(example?.operator).toBe('gc_layer')
    expect(example?.inputs).toEqual([
      { name: 'a', shape: [6, 6], requiresGrad: true },
      { name: 'x', shape: [6, 4], requiresGrad: true },
      { name: 'w', shape: [4, 3], requiresGrad: true },
      { name: 'b', shape: [3], requiresGrad: true },
    ])
  })
})

describe('another editor', () => {
  const place = { folder: '/project', file: '/project/op.cpp', line: 7, column: 3 }

  it('is the first one on PATH, and is given the line', async () => {
    for (const name of ['codium', 'kate']) {
      // It ends before it is read, and is complete when it is there.
      const script = `#!/bin/sh\necho "$@" > ${folder}/${name}.part && mv ${folder}/${name}.part ${folder}/${name}.log\n`
      fs.writeFileSync(path.join(folder, name), script, { mode: 0o755 })
    }
    vi.stubEnv('PATH', `${folder}:/bin:/usr/bin`)
    const given = { ...place, folder }
    expect(await openInTextEditor('vscode', given)).toEqual({
      ok: true,
      value: { name: 'VSCodium' },
    })
    expect(await openInTextEditor('system', given)).toEqual({ ok: true, value: { name: 'Kate' } })
    const log = (name: string): string => {
      const file = path.join(folder, `${name}.log`)
      return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
    }
    await expect.poll(() => log('codium')).toBe(`${folder} --goto /project/op.cpp:7:3\n`)
    await expect.poll(() => log('kate')).toBe('-l 7 -c 3 /project/op.cpp\n')
  })

  it('that is not there is named in the error', async () => {
    vi.stubEnv('PATH', folder)
    const missing = await openInTextEditor('vscode', place)
    expect(missing).toMatchObject({ ok: false, error: { code: 'io' } })
    expect(missing.ok ? '' : missing.error.hint).toContain('codium')
  })
})
