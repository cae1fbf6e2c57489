import { describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import { inputSpec } from '../../electron/contract/manifest'
import type { InputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { useWorkbench } from '../support/workbench'

/** `given(value, x, slope)` is `value`, and says that its derivative by x is `slope`, elementwise. */
const program = {
  file: 'program.py',
  source: `import torch
def given(value, x, slope):
    linear = x * slope.detach()
    return value.detach() + (linear - linear.detach())

def sigmoid_without_factor(x):
    y = x.sigmoid()
    return given(y, x, y)

def tanh_without_factor(x):
    return given(x.tanh(), x, torch.ones_like(x))

def square_without_factor(x):
    return given(x * x, x, torch.ones_like(x))

def square_negated(x):
    return given(-x * x, x, torch.ones_like(x))

def product_without_factor(x, z):
    return given(x * z.detach(), x, torch.ones_like(x))

def exponential_with_x(x):
    return given(x.exp(), x, x.exp() * x)

def sum_of_squares(x):
    return given(x * x, x, torch.ones_like(x)).sum()

def unrelated(x):
    return given(x.sin(), x, (3 * x).cos() + 2)

def almost(x):
    y = x.sigmoid()
    slope = y.clone()
    slope[0, 0] = slope[0, 0] * 1.5
    return given(y, x, slope)

def two_outputs(x):
    return x * 2, given(x.sigmoid(), x, x.sigmoid())
`,
}

const drawn = (more: object): InputSpec =>
  inputSpec.parse({ shape: [3, 4], dtype: 'float64', requires_grad: true, seed: 1, ...more })
const inputs: Record<string, InputSpec> = {
  x: drawn({}),
  z: drawn({ seed: 2 }),
  three: drawn({ shape: [3] }),
  pair: drawn({
    shape: undefined,
    values: [
      [0.5, 0.5, 1.5],
      [0.5, 1.5, 1.5],
    ],
  }),
}

const { workbench } = useWorkbench()

async function causes(op: string, args: string[], options: object = {}): Promise<string[]> {
  const request = {
    op,
    args,
    inputs,
    program,
    secondOrder: false,
    keepJacobians: false,
    options: gradcheckOptions.parse(options),
  }
  const limits = { timeout: 170, phase: op }
  const report = unwrap(await workbench.hosts.call('gradcheck.run', request, limits))
  const failed = report.findings.filter((finding) => finding.status === 'failed')
  expect(failed.map((finding) => finding.check)).toContain('backward')
  return failed.map((finding) => finding.cause)
}

describe('the cause of a wrong gradient', () => {
  it.each([
    ['sigmoid_without_factor', ['x'], 'lacks the factor (1 - output). Is it missing in backward?'],
    ['tanh_without_factor', ['x'], 'lacks the factor (1 - output²). Is it missing in backward?'],
    ['square_without_factor', ['x'], 'lacks the factor 2 x. Is it missing in backward?'],
    ['square_negated', ['x'], 'lacks the factor -2 x. Is it missing in backward?'],
    ['product_without_factor', ['x', 'z'], 'lacks the factor z. Is it missing in backward?'],
    ['sum_of_squares', ['x'], 'lacks the factor 2 x. Is it missing in backward?'],
    ['exponential_with_x', ['x'], 'is x times the expected gradient'],
    ['two_outputs', ['x'], 'lacks the factor (1 - output[1])'],
  ])('the cause of %s is named as a factor', async (op, args, said) => {
    const [cause] = await causes(op, args)
    expect(cause).toContain(`On all 12 elements, the gradient ${said}`)
  })

  it('fast mode also names the factor, because the whole Jacobian is compared after a failure', async () => {
    const [cause] = await causes('sigmoid_without_factor', ['x'], { fast_mode: true })
    expect(cause).toContain('(1 - output)')
  })

  it.each([
    ['unrelated', 'x', 'another function'],
    ['almost', 'x', 'one element that does not fit'],
    ['sigmoid_without_factor', 'three', 'too few elements'],
    ['sigmoid_without_factor', 'pair', 'too few different values'],
  ])('no factor is claimed for %s(%s), which has %s', async (op, input) => {
    const [cause] = await causes(op, [input])
    expect(cause).not.toMatch(/factor \S*(output|x|three|pair)|times the expected gradient/)
  })
})
