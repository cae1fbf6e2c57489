import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'

import type { Installation } from '../../electron/engine/installation'
import { addonFile, findAddon } from '../../electron/engine/toolchain/addon-location'
import type { Libtorch } from '../../electron/engine/toolchain/libtorch'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-addon-'))
afterEach(() => {
  fs.rmSync(home, { recursive: true, force: true })
})

describe('the addon for a libtorch', () => {
  it('fits a libtorch that is reached through a link, and no other', () => {
    const [torch, other, link, addonFolder] = ['torch', 'other', 'link', 'addon'].map((name) =>
      path.join(home, name),
    ) as [string, string, string, string]
    for (const folder of [torch, other, addonFolder]) fs.mkdirSync(folder)
    fs.symlinkSync(torch, link)
    fs.writeFileSync(path.join(addonFolder, addonFile), '')
    const note = { libtorch: link, sources: 'hash' }
    fs.writeFileSync(path.join(addonFolder, 'addon.json'), JSON.stringify(note))
    const installation = { root: home, addonFolder } as Installation
    const find = (folder: string) => findAddon(installation, { folder } as Libtorch)
    expect(find(torch)).toMatchObject({ ok: true, value: addonFolder })
    expect(find(other)).toMatchObject({ ok: false, error: { code: 'toolchain.mismatch' } })
  })
})
