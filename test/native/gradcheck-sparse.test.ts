import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { GradcheckReport } from '../../electron/contract/gradcheck'
import { inputSpec } from '../../electron/contract/manifest'
import type { InputSpec } from '../../electron/contract/manifest'
import { operatorCheckRequest } from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const program = {
  file: 'program.py',
  source: `import torch

def sparse_product(x, y):
    return torch.sparse.mm(x, y)

def sparse_masked(x):
    return x.to_dense(masked_grad=True)

def sparse_whole(x):
    d = x.to_dense(masked_grad=False)
    return d * d + d
`,
}

const drawn = (more: object): InputSpec =>
  inputSpec.parse({ shape: [3, 4], dtype: 'float64', requires_grad: true, seed: 1, ...more })
const inputs: Record<string, InputSpec> = {
  s: drawn({ layout: 'sparse_csr', density: 0.5 }),
  w: drawn({ shape: [4, 2] }),
}

const { workbench, cache } = useWorkbench()

async function gradcheck(
  op: string,
  args: string[],
  options: object = {},
  named: Record<string, InputSpec> = inputs,
): Promise<Result<GradcheckReport>> {
  const request = {
    op,
    args,
    inputs: named,
    program,
    secondOrder: false,
    keepJacobians: false,
    options: gradcheckOptions.parse(options),
  }
  return await workbench.hosts.call('gradcheck.run', request, { timeout: 170, phase: op })
}

async function causes(op: string, args: string[], options: object = {}): Promise<string[]> {
  const report = unwrap(await gradcheck(op, args, options))
  const failed = report.findings.filter((finding) => finding.status === 'failed')
  expect(failed.map((finding) => finding.check)).toContain('backward')
  return failed.map((finding) => finding.cause)
}

describe('the gradient of a sparse input', () => {
  it('a gradient that differs only at unspecified elements is reported to be masked', async () => {
    const [cause] = await causes('sparse_masked', ['s'])
    expect(cause).toMatch(
      /^The gradient of this sparse input is correct at the specified elements, and zero at unspecified elements/,
    )
    expect(unwrap(await gradcheck('sparse_masked', ['s'], { masked: true })).ok).toBe(true)
  })

  it('a gradient that is not masked is reported where the check is masked', async () => {
    const [cause] = await causes('sparse_whole', ['s'], { masked: true })
    expect(cause).toMatch(
      /^The gradient of this sparse input is correct at the specified elements, but not zero at/,
    )
    expect(unwrap(await gradcheck('sparse_whole', ['s'])).ok).toBe(true)
  })

  it('forward mode of a sparse input is reported to be missing', async () => {
    const report = unwrap(await gradcheck('sparse_whole', ['s'], { check_forward_ad: true }))
    const forward = report.findings.find((finding) => finding.check === 'forward')
    expect(forward?.status).toBe('failed')
    expect(forward?.reason).toMatch(/^x is sparse: .* turn forward mode off$/)
  })

  it('a program can use torch.sparse', async () => {
    expect(unwrap(await gradcheck('sparse_product', ['s', 'w'], { masked: true })).ok).toBe(true)
  })
})

describe('sparse inputs', () => {
  const refused = async (more: object): Promise<string> => {
    const named = { s: drawn({ layout: 'sparse_coo', ...more }) }
    const answer = await gradcheck('sparse_whole', ['s'], {}, named)
    if (answer.ok) throw new Error('was taken')
    expect(answer.error.code).toBe('input.invalid')
    return answer.error.message
  }

  it.each([
    [{}, /^input s: sparse_coo needs density, indices or values/],
    [{ density: 0.5, blocksize: [1, 1] }, /blocksize is for sparse_bsr and sparse_bsc only/],
    [{ density: 0.5, layout: 'sparse_bsr' }, /sparse_bsr needs a blocksize/],
    [
      { density: 0.5, layout: 'sparse_bsr', blocksize: [2, 2] },
      /blocksize \[2, 2\] does not divide the shape \[3, 4\]/,
    ],
    [{ density: 0.5, layout: 'strided' }, /are only for sparse layouts: also set "layout"/],
    [{ density: 0.5, layout: 'sparse_csr', shape: [2, 3, 4] }, /needs two dimensions/],
    [{ indices: [[0, 1]] }, /indices has 1 lists, but the shape has 2 dimensions/],
    [{ indices: [[0, 1], [0]] }, /indices\[1\] has 1 elements, but indices\[0\] has 2/],
    [
      {
        indices: [
          [0, 3],
          [0, 0],
        ],
      },
      /indices\[0\] contains 3, but dimension 0 has 3 elements/,
    ],
    [{ indices: [[0], [0]], density: 0.5 }, /indices and density cannot be given together/],
    [{ indices: [[0], [0]], values: [1, 2] }, /shape \[1\] needs 1 values, but 2 are given/],
  ])('the sparse input %j is refused with the reason', async (more, message) => {
    expect(await refused(more)).toMatch(message)
  })

  it('a sparse input can be used in a call, is shown dense and is compared', async () => {
    const request = {
      op: 'sparse_product',
      args: ['s', 'w'],
      inputs,
      program,
      reference: 's.to_dense() @ w',
    }
    const report = unwrap(
      await workbench.hosts.call('operator.run', request, { timeout: 170, phase: 'run' }),
    )
    expect(report.comparisons).toMatchObject([{ matches: true }])
    const [s] = report.inputs
    if (s?.value.kind !== 'tensor') throw new Error('no tensor')
    expect(s.value).toMatchObject({ shape: [3, 4], strides: [] })
    expect(s.value.stats.count).toBe(12)
    expect(s.value.stats.zeros).toBeGreaterThan(0)
  })

  it('a sparse input is refused by operator checks', async () => {
    const call = { op: 'sparse_product', args: ['s', 'w'], inputs, program }
    const request = operatorCheckRequest.parse({ ...call, checks: ['mutation'] })
    const limits = { timeout: 170, phase: 'operator check' }
    const answer = await workbench.hosts.call('operatorCheck.run', request, limits)
    expect(answer.ok ? '' : answer.error.message).toContain('operator checks need strided tensors')
  })
})

describe('a project with sparse inputs', () => {
  it('its gradchecks and calls have the outcomes that opsmith.json expects', async () => {
    const folder = copyProject(path.join(root, 'test/cases/gradcheck/sparse_inputs'), cache)
    expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
    const outcomes = unwrap(await workbench.gradchecks.runAll(folder, { timeout: 170 }))
    expect(outcomes.map((one) => one.verdict)).toEqual([
      'passed',
      'failed',
      'failed',
      'passed',
      'passed',
      'passed',
      'passed',
    ])
    const causes = outcomes.map((one) => one.report?.findings.map((found) => found.cause).join(''))
    expect(causes[1]).toMatch(
      /^The gradient of this sparse input is correct at the specified elements, and zero/,
    )
    expect(causes[2]).toBe('A factor is wrong: the gradient is 2 times the expected gradient.')
    // Backward gives zeros for an undefined gradient, sparse ones.
    const undefinedGrad = outcomes[0]?.report?.findings.find(
      (one) => one.check === 'undefined_grad',
    )
    expect(undefinedGrad?.status).toBe('passed')
  })
})
