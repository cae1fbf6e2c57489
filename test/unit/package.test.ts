import path from 'node:path'

import { expect, it } from 'vitest'

import { findInstallation } from '../../electron/engine/installation'

type FusesOf = (
  wanted: Record<string, boolean>,
  version: string,
) => { fuses: Record<string, boolean>; leftOut: string[] }

const script = path.resolve(__dirname, '../../scripts/package/fuses.mjs')
const { fusesOf } = (await import(script)) as { fusesOf: FusesOf }

const wanted = { runAsNode: true, grantFileProtocolExtraPrivileges: false }

it('leaves out the fuses that an Electron lacks, and names them', () => {
  expect(fusesOf(wanted, '25.1.1')).toEqual({
    fuses: { runAsNode: true },
    leftOut: ['grantFileProtocolExtraPrivileges'],
  })
  expect(fusesOf(wanted, '45.4.1')).toEqual({ fuses: wanted, leftOut: [] })
})

it('finds what compilers read beside the archive of a package', () => {
  const found = findInstallation('/opt/Opsmith/resources/app.asar/dist')
  expect(found.root).toBe('/opt/Opsmith/resources/app.asar.unpacked')
  expect(found.hostEntry).toBe('/opt/Opsmith/resources/app.asar.unpacked/dist/host.cjs')
  expect(findInstallation('/src/opsmith/dist').root).toBe('/src/opsmith')
})
