import { expect, it } from 'vitest'

import { checkEntry, inputSpec } from '../../../electron/contract/manifest'
import type { InputSpec } from '../../../electron/contract/manifest'
import type { OperatorCheckReport } from '../../../electron/contract/operator-check'
import { unwrap } from '../../../electron/contract/outcome'
import type { BuiltSample } from './projects'

export function testChecks({ workbench, folder, manifest, onGpu }: BuiltSample): void {
  const check = async (
    op: string,
    args: (string | number)[],
    inputs: Record<string, InputSpec>,
  ): Promise<OperatorCheckReport> => {
    const entry = checkEntry.parse({ op, args, inputs })
    return unwrap(await workbench.operatorChecks.run(folder(), entry, { timeout: 240 }))
  }
  const failuresOf = ({ findings }: OperatorCheckReport): string[] =>
    findings.flatMap(({ check: name, status, reason }) =>
      status === 'failed' ? [`${name}: ${reason}`] : [],
    )

  it.each(['float64', 'float32'] as const)(
    'the kernel gives the right forces in %s',
    async (dtype) => {
      const [call] = manifest().calls
      const run = unwrap(
        await workbench.runs.run(
          folder(),
          {
            op: 'CalcOps::calculateForce',
            args: call?.args ?? [],
            inputs: onGpu({ dtype }),
            reference: call?.reference ?? '',
          },
          { timeout: 60 },
        ),
      )
      const [output] = run.outputs
      expect(output?.kind === 'tensor' && output.device).toBe('cuda:0')
      expect(run.comparisons.map(({ matches }) => matches)).toEqual([true])
    },
  )

  it("the kernels' gradients agree with finite differences", async () => {
    // Forces are added up in any order.
    const entries = manifest()
      .gradchecks.filter(({ op }) => op === 'CalcOps::calculateForce')
      .map((entry) => ({ ...entry, nondet_tol: 1e-12, inputs: onGpu() }))
    const outcomes = unwrap(
      await workbench.gradchecks.runAll(folder(), { timeout: 60 }, { entries }),
    )
    expect(outcomes.length).toBeGreaterThan(0)
    for (const outcome of outcomes) expect(outcome.asExpected, JSON.stringify(outcome)).toBe(true)
  })

  it('no operator check of a right operator fails on the GPU', async () => {
    const x = inputSpec.parse({
      shape: [8, 8],
      device: 'cuda',
      dtype: 'float64',
      requires_grad: true,
    })
    const report = await check('aten::sigmoid', ['x'], { x })
    expect(failuresOf(report)).toEqual([])
    expect(report.findings.some(({ status }) => status === 'passed')).toBe(true)
  })

  it('nor on the CPU of the same machine, after a backward', async () => {
    const x = inputSpec.parse({ shape: [8], dtype: 'float64', requires_grad: true })
    const profile = { op: 'aten::sigmoid', args: ['x'], inputs: { x }, backward: true, threads: 1 }
    unwrap(await workbench.profiles.run(folder(), profile, { timeout: 60 }))
    const report = await check('aten::sigmoid', ['x'], { x })
    expect(failuresOf(report)).toEqual([])
    const reasons = report.findings.map(({ reason }) => reason).join('\n')
    expect(reasons).not.toMatch(/fork-based multiprocessing|initialization error/)
  })
}
