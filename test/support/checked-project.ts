import { beforeAll, expect } from 'vitest'

import type { Argument, Manifest } from '../../electron/contract/manifest'
import type { OperatorCheckName, OperatorCheckReport } from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject } from './installation'
import { useWorkbench } from './workbench'
import type { TestWorkbench } from './workbench'

export interface CheckedProject extends TestWorkbench {
  /** Of the project, once the tests run. */
  manifest: () => Manifest
  /** Checks an operator: with all default checks where none are named, with the project's inputs where none are given. */
  check: (op: string, args: Argument[], options?: CheckOptions) => Promise<OperatorCheckReport>
}

export interface CheckOptions {
  checks?: OperatorCheckName[]
  inputs?: Manifest['inputs']
}

/** A project whose operators are checked by the tests of a file: copied, built and loaded before them. */
export function useCheckedProject(project: string): CheckedProject {
  const { workbench, cache } = useWorkbench()
  let manifest: Manifest | undefined
  beforeAll(async () => {
    const copy = copyProject(project, cache)
    manifest = unwrap(await readManifest(copy))
    expect(unwrap(await workbench.builds.build(copy)).ok).toBe(true)
    unwrap(await workbench.libraries.load(copy, { timeout: 170 }))
  })
  const read = (): Manifest => {
    if (!manifest) throw new Error('the project is read before the tests, not before that')
    return manifest
  }
  return {
    workbench,
    cache,
    manifest: read,
    check: async (op, args, { checks = [], inputs = read().inputs } = {}) =>
      unwrap(
        await workbench.hosts.call(
          'operatorCheck.run',
          { op, args, inputs, checks },
          { timeout: 120, phase: `check ${op}` },
        ),
      ),
  }
}
