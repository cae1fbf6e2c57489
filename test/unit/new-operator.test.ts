import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { findInstallation } from '../../electron/engine/installation'
import { createOperator } from '../../electron/engine/project/new-operator'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { listSamples } from '../../electron/engine/project/samples'
import { openInTextEditor } from '../../electron/engine/toolchain/text-editors'
import { root } from '../support/installation'

const installation = findInstallation(path.join(root, 'dist'))
let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-new-operator-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true, force: true })
})

describe('a new operator', () => {
  it('is a project of its own name, with calls, gradchecks and a program', async () => {
    const made = await createOperator(installation, 'fused_gelu', folder)
    expect(made).toEqual({ ok: true, value: { folder: path.join(folder, 'fused_gelu') } })
    const manifest = await readManifest(path.join(folder, 'fused_gelu'))
    if (!manifest.ok) throw new Error(manifest.error.message)
    expect(manifest.value).toMatchObject({ name: 'fused_gelu', sources: ['op.cpp'] })
    expect(manifest.value.calls[0]).toMatchObject({ op: 'fused_gelu::fused_gelu' })
    for (const file of fs.readdirSync(path.join(folder, 'fused_gelu'))) {
      const text = fs.readFileSync(path.join(folder, 'fused_gelu', file), 'utf8')
      expect(text, file).toContain('fused_gelu')
      expect(text, file).not.toContain('my_op')
    }
  })

  it('overwrites nothing, and has a name that C++ and Python take', async () => {
    await createOperator(installation, 'again', folder)
    expect(await createOperator(installation, 'again', folder)).toMatchObject({
      error: { code: 'io' },
    })
    for (const name of ['Gelu', '../up', 'a-b', '1st', '', 'lambda', 'template'])
      expect(await createOperator(installation, name, folder), name).toMatchObject({
        error: { code: 'request.invalid' },
      })
  })
})

describe('samples', () => {
  it('say what they are examples of', async () => {
    const samples = new Map((await listSamples(installation)).map(({ name, tags }) => [name, tags]))
    expect(samples.get('my_op')).toEqual(['CPU', 'autograd'])
    expect(samples.get('calculate_force')).toEqual(['CPU', 'CUDA', 'autograd'])
    expect(samples.get('warp_perspective')).toContain('OpenCV')
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
