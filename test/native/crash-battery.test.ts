import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { WorkbenchError } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root, subfolders } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const expectation = z.object({
  phase: z.enum(['build', 'load', 'call']),
  reason: z.string(),
  messageMatches: z.string().optional(),
})

const { workbench, cache } = useWorkbench({
  // Settings may be written by hand: a fraction of a byte counts for nothing.
  settings: { memoryLimit: 3 * 2 ** 30 + 0.5, callTimeout: 170 },
  inWindow: true,
  // assert_fail has flags that no later build has. A compiler would work a minute for headers with these flags.
  prepareMissingHeaders: false,
})

/** Builds, loads and calls; the first thing that goes wrong, and when. */
async function provoke(
  folder: string,
): Promise<{ phase: string; error: WorkbenchError } | undefined> {
  const build = await workbench.builds.build(folder)
  if (!build.ok) return { phase: 'build', error: build.error }
  expect(build.value.diagnostics.filter((item) => item.severity === 'error')).toEqual([])
  const load = await workbench.libraries.load(folder, { timeout: 170 })
  if (!load.ok) return { phase: 'load', error: load.error }
  const manifest = await readManifest(folder)
  if (!manifest.ok) throw new Error(manifest.error.message)
  for (const call of manifest.value.calls) {
    const { op, args, timeout } = call
    const result = await workbench.runs.run(
      folder,
      { op, args, inputs: manifest.value.inputs },
      { timeout: timeout ?? 170 },
    )
    if (!result.ok) return { phase: 'call', error: result.error }
  }
  return undefined
}

describe('operators that end their process', () => {
  const good = path.join(root, 'samples/my_op')

  it.each(
    subfolders(path.join(root, 'test/cases/crash')).map((folder) => [
      path.basename(folder),
      folder,
    ]),
  )('%s ends with a named reason, and the next build works', async (_name, source) => {
    const expected = expectation.parse(
      JSON.parse(fs.readFileSync(path.join(source, 'expected.json'), 'utf8')),
    )
    const trouble = await provoke(copyProject(source, cache))
    expect(trouble?.phase).toBe(expected.phase)
    const named = trouble?.error.exit?.reason ?? trouble?.error.code
    expect(named, trouble?.error.message).toBe(expected.reason)
    if (expected.messageMatches !== undefined) {
      expect(trouble?.error.message).toMatch(new RegExp(expected.messageMatches, 'i'))
    }
    expect(await provoke(copyProject(good, cache))).toBeUndefined()
  })

  it('a segmentation fault gets the line of the source where it happened', async () => {
    const folder = copyProject(path.join(root, 'test/cases/crash/null_write'), cache)
    const trouble = await provoke(folder)
    const frame = trouble?.error.exit?.stack.find((candidate) => candidate.isUser)
    expect(frame?.file).toBe(path.join(folder, 'op.cpp'))
    expect(frame?.line).toBeGreaterThan(0)
  })
})
