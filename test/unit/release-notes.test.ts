import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { changesBetween, newsOfUpdate } from '../../electron/engine/project/release-notes'

const changelog = `# Changelog

## [Unreleased]
- not yet

## [1.10.0] - 2027-02-01
### Added
- ten

## [1.9.0] - 2027-01-01
- nine

## [1.8.0] - 2026-12-01
- eight
`

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-news-'))
  fs.writeFileSync(path.join(folder, 'CHANGELOG.md'), changelog)
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

const start = (version: string): Promise<string> =>
  newsOfUpdate({ root: folder, stateFolder: path.join(folder, 'state') }, version)

it('gives the sections between two versions', () => {
  const both = changesBetween(changelog, '1.8.0', '1.10.0')
  expect(both).toMatch(/^## \[1\.10\.0\][^]*ten[^]*nine$/)
  expect(both).not.toMatch(/eight|not yet/)
  expect(changesBetween(changelog, '1.8.0', '1.9.0')).toMatch(/^## \[1\.9\.0\][^]*nine$/)
  expect(changesBetween('no sections', '1.8.0', '1.9.0')).toBe('')
})

it('is given once after an update, not at a first start nor after a downgrade', async () => {
  expect(await start('1.8.0')).toBe('')
  expect(await start('1.8.0')).toBe('')
  expect(await start('1.10.0')).toContain('ten')
  expect(await start('1.10.0')).toBe('')
  expect(await start('1.9.0')).toBe('')
  expect(await start('1.10.0')).toContain('ten')
})
