import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { expect, it } from 'vitest'

import { root } from '../support/installation'

const run = promisify(execFile)

it('the reference pages and the JSON Schema are what npm run generate writes', async () => {
  const script = path.join(root, 'scripts/generate.mjs')
  const { stdout } = await run(process.execPath, [script, '--check']).catch(
    (failed: { stdout: string }) => failed,
  )
  expect(stdout).toBe('up to date\n')
})
