import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { OperatorCheckOutcome } from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
let loop: string

beforeAll(async () => {
  loop = copyProject(path.join(root, 'test/cases/crash/endless_loop'), cache)
  expect(unwrap(await workbench.builds.build(loop)).ok).toBe(true)
})

const endless = { op: 'endless_loop::run', args: ['x'], checks: ['mutation' as const] }
const fine = { op: 'aten::neg', args: ['x'], checks: ['mutation' as const] }

describe('operator checks of a project', () => {
  it('progress events give the number of operators first, then the outcome of each', async () => {
    const told: [number, number, OperatorCheckOutcome['verdict'] | undefined][] = []
    const outcomes = unwrap(
      await workbench.operatorChecks.runAll(
        loop,
        { timeout: 170 },
        {
          // Long enough for the call to be in the loop by then.
          entries: [fine, { ...endless, timeout: 5 }, fine],
          onProgress: (done, total, outcome) => told.push([done, total, outcome?.verdict]),
        },
      ),
    )
    expect(told).toEqual([
      [0, 3, undefined],
      [1, 3, 'passed'],
      [2, 3, 'error'],
      [3, 3, 'passed'],
    ])
    expect(outcomes.map((outcome) => outcome.error?.code)).toEqual([
      undefined,
      'host.timeout',
      undefined,
    ])
    // The call runs in a copy of the op host, which says where it is.
    const stack = outcomes[1]?.error?.exit?.stack ?? []
    expect(stack.filter(({ isUser }) => isUser)).not.toEqual([])
  })

  it('an operator of which every check is skipped has not passed', async () => {
    const random = { op: 'aten::bernoulli.p', args: ['x', 0.5], checks: ['nan' as const] }
    const [outcome] = unwrap(
      await workbench.operatorChecks.runAll(loop, { timeout: 60 }, { entries: [random] }),
    )
    expect(outcome?.report?.findings).toMatchObject([{ check: 'nan', status: 'skipped' }])
    expect(outcome).toMatchObject({ verdict: 'skipped', asExpected: true })
    const failing = { ...random, expect: 'failed' as const }
    const [other] = unwrap(
      await workbench.operatorChecks.runAll(loop, { timeout: 60 }, { entries: [failing] }),
    )
    expect(other).toMatchObject({ verdict: 'skipped', asExpected: false })
  })

  it('Stop ends the checks without further outcomes', async () => {
    const stop = new AbortController()
    const result = await workbench.operatorChecks.runAll(
      loop,
      // Longer than this test may take: Stop does not wait for it.
      { timeout: 1000, signal: stop.signal },
      {
        entries: [fine, endless, fine],
        onProgress: (done) => {
          if (done === 1)
            setTimeout(() => {
              stop.abort()
            }, 300)
        },
      },
    )
    expect(result.ok ? '' : result.error.code).toBe('cancelled')
    // The next ones find a new op host.
    const after = unwrap(
      await workbench.operatorChecks.runAll(loop, { timeout: 170 }, { entries: [fine] }),
    )
    expect(after[0]?.verdict).toBe('passed')
  })

  it("a finding about a program's function has its line in the program", async () => {
    const folder = copyProject(path.join(root, 'samples/warp_perspective'), cache)
    const early = await workbench.operatorChecks.runAll(folder, { timeout: 170 })
    expect(early.ok ? '' : early.error.code).toBe('build.required')
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
    const program = path.join(folder, 'program.py')
    const text = fs.readFileSync(program, 'utf8')
    fs.writeFileSync(program, `${text}\n\ndef doubled(x):\n    x.mul_(2)\n    return x + 1\n`)
    const [doubled] = unwrap(
      await workbench.operatorChecks.runAll(
        folder,
        { timeout: 170 },
        { entries: [{ op: 'doubled', args: ['x'], checks: ['aliasing', 'mutation'] }] },
      ),
    )
    expect(doubled?.report?.findings).toMatchObject([
      { check: 'mutation', status: 'failed', file: program, line: text.split('\n').length + 2 },
      { check: 'aliasing', status: 'passed' },
    ])
    expect(doubled?.report?.findings[1]).not.toHaveProperty('file')
  })
})
