import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import { operatorCheckName, sanitizerCheck } from '../../electron/contract/operator-check'
import type {
  OperatorCheckName,
  OperatorCheckFinding,
  OperatorCheckReport,
} from '../../electron/contract/operator-check'
import type { Argument, Manifest } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { useCheckedProject } from '../support/checked-project'
import { root } from '../support/installation'

/** Operators that are wrong in one way each, and by name the checks that must fail. */
const project = path.join(root, 'test/cases/operator-checks/wrong_operators')
const expectation = z.record(z.string(), z.object({ checks: z.array(operatorCheckName) }))
const expected = expectation.parse(
  JSON.parse(fs.readFileSync(path.join(project, 'expected.json'), 'utf8')),
)

const { workbench, manifest, check } = useCheckedProject(project)

const failures = (report: OperatorCheckReport): OperatorCheckFinding[] =>
  report.findings.filter((finding) => finding.status === 'failed')

/** Made only when asked for by name, and by a test of its own. */
const isLarge = (check: OperatorCheckName): boolean => check === 'large_sizes'

describe('operator checks', () => {
  // What the default checks find in each operator of the project: test/parity/checks.test.ts, next to PyTorch.

  it.for([
    ['wrong_operators::counts_in_int', 'failed', /^with more than 2\^31 elements: .* \(in int8\)$/],
    ['aten::neg', 'passed', /^the result is right for more than 2\^31 elements \(in int8\)$/],
  ] as const)(
    'the check of %s with more than 2^31 elements has the outcome %s',
    async ([op, status, reason], context) => {
      if (op in expected) expect(expected[op]?.checks.filter(isLarge)).toHaveLength(1)
      const report = await check(op, ['x'], { checks: ['large_sizes'] })
      const [finding] = report.findings
      if (finding?.status === 'skipped' && /GiB of free memory/.test(finding.reason)) {
        context.skip(finding.reason)
      }
      expect(finding?.status).toBe(status)
      expect(finding?.reason).toMatch(reason)
    },
  )

  it('every check of the table runs', async () => {
    const report = await check('wrong_operators::right', ['w'])
    expect(report.findings.map((finding) => finding.check).sort()).toEqual(
      // Those of the sanitizers are asked for beside them.
      operatorCheckName.exclude(sanitizerCheck.options).options.toSorted(),
    )
  })

  it('a finding gives the place and what to do', async () => {
    const [mutation] = failures(await check('wrong_operators::hidden_mutation', ['x']))
    expect(mutation).toMatchObject({ input: 'x', index: [0, 0] })
    expect(mutation?.advice).toContain('Tensor(a!)')
    const [past] = failures(await check('wrong_operators::writes_past', ['x']))
    expect(past?.reason).toContain('past the end of output 0')
    const [reads] = failures(await check('wrong_operators::reads_past', ['x']))
    expect(reads?.reason).toContain('past its end')
  })

  it('a failure is shrunk to the smallest shape that shows it', async () => {
    const [finding] = failures(await check('wrong_operators::unwritten_tail', ['x']))
    expect(finding?.shownBy).toBe('x float64[1, 1] of zeros')
  })

  it("libtorch's own operators have no fault", async () => {
    const inputs: Manifest['inputs'] = {
      x: { ...manifest().inputs['w']!, shape: [4, 6] },
      y: { ...manifest().inputs['w']!, shape: [4, 6], seed: 5 },
      z: { ...manifest().inputs['w']!, shape: [6, 3], seed: 6 },
      s: { ...manifest().inputs['w']!, shape: [3, 3], seed: 7 },
      i: {
        ...manifest().inputs['x']!,
        shape: [4, 6],
        dtype: 'int64',
        distribution: 'randint',
        high: 2,
      },
    }
    const calls: [string, Argument[]][] = [
      ['aten::sigmoid', ['x']],
      ['aten::mul.Tensor', ['x', 'y']],
      ['aten::mm', ['x', 'z']],
      ['aten::mm', ['s', 's']], // either can be of one row, which is no broadcast
      ['aten::softmax.int', ['x', 1]],
      ['aten::sum.dim_IntList', ['x', [0]]],
      ['aten::view', ['x', [-1]]],
      ['aten::cat', [['x', 'y'], 1]],
      ['aten::scatter_add', ['x', 1, 'i', 'y']],
      ['aten::bernoulli.p', ['x', 0.5]],
      ['aten::argmax', ['x', 1]],
    ]
    for (const [op, args] of calls) {
      const report = await check(op, args, { inputs })
      expect(failures(report), op).toEqual([])
    }
  })

  it('the checks leave the tensors that the op host held before', async () => {
    const gradcheck = {
      op: 'aten::sigmoid',
      args: ['w'],
      inputs: manifest().inputs,
      secondOrder: false,
      options: gradcheckOptions.parse({}),
      keepJacobians: true,
    }
    const limits = { timeout: 170, phase: '' }
    const report = unwrap(await workbench.hosts.call('gradcheck.run', gradcheck, limits))
    const handles = report.findings.flatMap(({ error }) => (error ? [error.handle] : []))
    expect(handles).toHaveLength(1)
    await check('wrong_operators::writes_before', ['x'])
    await check('wrong_operators::divides_by_count', ['x'])
    const released = await workbench.hosts.call('tensor.release', { handles }, limits)
    expect(unwrap(released).released).toBe(1)
  })
})
