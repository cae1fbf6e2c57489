import { describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { GradcheckReport } from '../../electron/contract/gradcheck'
import { inputSpec } from '../../electron/contract/manifest'
import type { InputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { useWorkbench } from '../support/workbench'

/**
 * Backward operators as functions of all that their gradients depend on: what the forward operator
 * saves for them is computed from the same x.
 */
const program = {
  file: 'program.py',
  source: `import torch
from typing import List, Optional

def softmax(x, g):
    return torch.ops.aten._softmax_backward_data(g, x.softmax(1), 1, torch.float64)

def log_softmax(x, g):
    return torch.ops.aten._log_softmax_backward_data(g, x.log_softmax(0), 0, torch.float64)

def nll(x, g, target, weight: Optional[torch.Tensor], reduction: int, ignored: int):
    y, total = torch.ops.aten.nll_loss_forward(x, target, weight, reduction, ignored)
    g = g if reduction == 0 else g.sum()
    return torch.ops.aten.nll_loss_backward(g, x, target, weight, reduction, ignored, total)

def nll2d(x, g, target, weight: Optional[torch.Tensor], reduction: int, ignored: int):
    y, total = torch.ops.aten.nll_loss2d_forward(x, target, weight, reduction, ignored)
    g = g if reduction == 0 else g.sum()
    return torch.ops.aten.nll_loss2d_backward(g, x, target, weight, reduction, ignored, total)

def layer(x, g, shape: List[int], w: Optional[torch.Tensor]):
    y, mean, rstd = torch.ops.aten.native_layer_norm(x, shape, w, w, 0.1)
    wanted = [True, w is not None, w is not None]
    gx, gw, gb = torch.ops.aten.native_layer_norm_backward(g, x, shape, mean, rstd, w, w, wanted)
    return (gx, gw, gb) if w is not None else (gx, gx, gx)

def batch(x, g, w: Optional[torch.Tensor], mean: Optional[torch.Tensor],
          var: Optional[torch.Tensor], train: bool):
    y, m, r = torch.ops.aten.native_batch_norm(x, w, w, mean, var, train, 0.0, 0.1)
    return torch.ops.aten.native_batch_norm_backward(
        g, x, w, mean, var, m, r, train, 0.1, [True, w is not None, True])[0]

def batch_weight(x, g, w):
    y, m, r = torch.ops.aten.native_batch_norm(x, w, w, None, None, True, 0.0, 0.1)
    return torch.ops.aten.native_batch_norm_backward(
        g, x, w, None, None, m, r, True, 0.1, [True, True, True])

def batch_update(x, g, w):
    y, m, r = torch.ops.aten.native_batch_norm(x, w, w, None, None, True, 0.0, 0.1)
    reserve = torch.empty([0], dtype=torch.uint8)
    return torch.ops.aten.batch_norm_backward(
        g, x, w, None, None, m, r, True, 0.1, [True, True, True], reserve)
`,
}

const drawn = (shape: number[], seed: number, more: object = {}): InputSpec =>
  inputSpec.parse({ shape, seed, dtype: 'float64', requires_grad: true, ...more })
const target = (values: NonNullable<InputSpec['values']>): InputSpec =>
  inputSpec.parse({ values, dtype: 'int64' })
const inputs: Record<string, InputSpec> = {
  x: drawn([4, 3], 1),
  g: drawn([4, 3], 2),
  row: drawn([3], 3),
  gradients: drawn([4], 4),
  image: drawn([2, 3, 2, 2], 5),
  imageGradient: drawn([2, 3, 2, 2], 6),
  pixels: drawn([2, 2, 2], 7),
  w: drawn([3], 8),
  w2: drawn([4, 3], 9),
  constant: drawn([3], 10, { requires_grad: false }),
  positive: drawn([3], 11, { distribution: 'rand', low: 0.5, high: 2, requires_grad: false }),
  target: target([2, 0, 1, 0]),
  one: target(2),
  scalar: drawn([], 12),
  pixelTarget: target([
    [
      [0, 1],
      [2, 2],
    ],
    [
      [1, 1],
      [0, 2],
    ],
  ]),
}

const { workbench } = useWorkbench()

type Args = (string | number | boolean | null | number[])[]

async function gradcheck(op: string, args: Args, options: object): Promise<GradcheckReport> {
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
  return unwrap(await workbench.hosts.call('gradcheck.run', request, limits))
}

const calls: [string, Args][] = [
  ['softmax', ['x', 'g']],
  ['log_softmax', ['x', 'g']],
  ...[0, 1, 2].flatMap((reduction): [string, Args][] =>
    [null, 'positive'].flatMap((weight): [string, Args][] => [
      ['nll', ['x', 'gradients', 'target', weight, reduction, 0]],
      ['nll2d', ['image', 'pixels', 'pixelTarget', weight, reduction, 1]],
      ['nll', ['row', 'scalar', 'one', weight, reduction, -100]],
    ]),
  ),
  ['layer', ['x', 'g', [3], 'w']],
  ['layer', ['x', 'g', [3], null]],
  ['layer', ['x', 'g', [4, 3], 'w2']],
  ['batch', ['x', 'g', 'w', null, null, true]],
  ['batch', ['x', 'g', null, null, null, true]],
  ['batch', ['image', 'imageGradient', 'w', 'constant', 'positive', true]],
  ['batch', ['image', 'imageGradient', 'w', 'constant', 'positive', false]],
  ['batch', ['x', 'g', null, 'constant', 'positive', false]],
  ['batch_weight', ['x', 'g', 'w']],
  ['batch_weight', ['image', 'imageGradient', 'w']],
  ['batch_update', ['x', 'g', 'w']],
]

describe('forward mode through backward operators that libtorch differentiates in Python only', () => {
  it.each(calls)(
    'the forward-mode tangents of %s(%j) agree with finite differences',
    async (op, args) => {
      for (const fast_mode of [false, true]) {
        const options = { check_forward_ad: true, check_backward_ad: false, fast_mode }
        const report = await gradcheck(op, args, options)
        const forward = report.findings.filter((finding) => finding.check === 'forward')
        expect(forward.length).toBeGreaterThan(1)
        expect(forward.filter((finding) => finding.status !== 'passed')).toEqual([])
        expect(report.ok, JSON.stringify(report.findings)).toBe(true)
        // Not by comparing zeros.
        if (!fast_mode) expect(forward.some((one) => one.worst?.numerical !== 0)).toBe(true)
      }
    },
  )
})
