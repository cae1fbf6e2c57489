import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { mayHaveGpu } from '../../electron/main/gpu-device'

let devices: string
beforeEach(() => {
  devices = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-devices-'))
})
afterEach(() => {
  fs.rmSync(devices, { recursive: true })
})

describe('painting on a GPU', () => {
  it.each(['dri', 'nvidiactl', 'dxg'])('is tried on a machine with the device %s', (name) => {
    fs.writeFileSync(path.join(devices, name), '')
    expect(mayHaveGpu('linux', devices)).toBe(true)
  })

  it('is not tried on a machine without such a device', () => {
    fs.writeFileSync(path.join(devices, 'null'), '')
    expect(mayHaveGpu('linux', devices)).toBe(false)
  })

  it('is left to Chromium on other systems', () => {
    expect(mayHaveGpu('darwin', devices)).toBe(true)
    expect(mayHaveGpu('win32', devices)).toBe(true)
  })
})
