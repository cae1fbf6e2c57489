import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { describe, expect, it } from 'vitest'

import {
  operatorCheckNames,
  operatorChecks,
} from '../../electron/contract/operator-checks.generated'
import { sanitizerCheck } from '../../electron/contract/operator-check'
import { root } from '../support/installation'
import { loadAddon } from './fixture'

describe("the contract's list of operator checks", () => {
  it('the list is the one of the addon, which npm run generate writes', async () => {
    const declared = await loadAddon().call('operatorCheck.list', {})
    expect(declared.map(({ name }) => name)).toEqual([...operatorCheckNames])
    expect(Object.fromEntries(declared.map(({ name, ...rest }) => [name, rest]))).toEqual(
      operatorChecks,
    )
  })

  it('every check has one name and words that explain it', async () => {
    const declared = await loadAddon().call('operatorCheck.list', {})
    expect(new Set(declared.map(({ name }) => name)).size).toBe(declared.length)
    for (const { title, meaning } of declared) {
      expect(title).not.toBe('')
      expect(meaning).not.toBe('')
    }
    expect(declared.filter(({ sanitizer }) => sanitizer).map(({ name }) => name)).toEqual(
      sanitizerCheck.options,
    )
  })

  it('the file is byte for byte what npm run generate writes', async () => {
    const { operatorChecksText } = (await import(
      pathToFileURL(path.join(root, 'scripts/generators/operator-checks.mjs')).href
    )) as { operatorChecksText(checks: unknown): Promise<string> }
    const file = path.join(root, 'electron', 'contract', 'operator-checks.generated.ts')
    const written = await operatorChecksText(await loadAddon().call('operatorCheck.list', {}))
    expect(written).toBe(fs.readFileSync(file, 'utf8'))
  })
})
