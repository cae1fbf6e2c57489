import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { expect, it } from 'vitest'

import { root } from '../support/installation'

const run = promisify(execFile)

it('The reference pages and the JSON Schema say what the sources declare; npm run generate writes them.', async () => {
  const script = path.join(root, 'scripts/generate.mjs')
  const { stdout } = await run(process.execPath, [script, '--check']).catch(
    (failed: { stdout: string }) => failed,
  )
  expect(stdout).toBe('up to date\n')
})
