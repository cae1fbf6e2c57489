import { expect, it } from 'vitest'

import { inputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { askPython, makeInputsInPython } from '../support/python'
import { useWorkbench } from '../support/workbench'

const { workbench } = useWorkbench()

const shapes = {
  a: [7, 5],
  b: [5, 11],
  c: [7, 11],
  batch: [3, 7, 5],
  other: [3, 5, 11],
  sum: [3, 7, 11],
  v: [5],
  line: [2, 4, 19],
  image: [2, 4, 9, 8],
  volume: [1, 4, 5, 6, 7],
  filter1: [6, 4, 3],
  filter2: [6, 4, 3, 2],
  grouped: [6, 2, 3, 2],
  filter3: [2, 4, 2, 2, 2],
  back: [4, 3, 3, 2],
  query: [2, 3, 6, 8],
  key: [2, 3, 9, 8],
  value: [2, 3, 9, 4],
}
const inputs = Object.fromEntries(
  Object.entries(shapes).map(([name, shape]) => [name, { shape, dtype: 'float32' }]),
)

/** TorchScript that is Python too. */
const expressions = [
  'torch.mm(a, b)',
  'a @ b + c',
  'torch.addmm(c, a, b)',
  'torch.addmm(c, a, b, alpha=2.0).relu()',
  'torch.bmm(batch, other)',
  'torch.baddbmm(sum, batch, other)',
  'torch.matmul(batch, b)',
  'torch.matmul(a, other)',
  'torch.einsum("ij,bjk->bik", a, other)',
  'torch.mm(torch.mm(a, b), torch.mm(b.t(), a.t()))',
  'torch.conv1d(line, filter1)',
  'torch.conv2d(image, filter2, stride=2, padding=1)',
  'torch.conv2d(image, grouped, groups=2)',
  'torch.conv3d(volume, filter3, dilation=2)',
  'torch.conv_transpose2d(image, back, stride=2)',
  'torch.scaled_dot_product_attention(query, key, value)',
  'torch.linalg_multi_dot([a, b, torch.linalg_matmul(c.t(), a)])',
  'torch.sigmoid(a) * 2 - 1',
]

const inPython = `
import json, sys
${makeInputsInPython}
from torch.utils.flop_counter import FlopCounterMode
torch.linalg_multi_dot, torch.linalg_matmul = torch.linalg.multi_dot, torch.linalg.matmul
torch.scaled_dot_product_attention = torch.nn.functional.scaled_dot_product_attention
job = json.loads(sys.argv[1])
names = {"torch": torch, **make_inputs(job["inputs"])}
counts = []
for expression in job["expressions"]:
    counter = FlopCounterMode(display=False)
    with counter: eval(expression, names)
    counts.append(counter.get_total_flops())
print(json.dumps(counts))
`

/** What is counted in one forward of an expression. */
async function flopsOf(expression: string): Promise<number> {
  const specs = Object.fromEntries(
    Object.entries(inputs).map(([name, spec]) => [name, inputSpec.parse(spec)]),
  )
  const call = { op: expression, expression, args: [], inputs: specs, cold: false, fresh: false }
  const forward = { ...call, direction: 'forward' as const, threads: 1 }
  const limits = { timeout: 60, phase: 'timing' }
  const opened = unwrap(await workbench.hosts.call('timing.open', forward, limits))
  await workbench.hosts.call('timing.close', { handles: [opened.handle] }, limits)
  return opened.flops
}

it('operations of products, convolutions and attention equal those of torch.utils.flop_counter', async () => {
  const theirs = (await askPython(inPython, [JSON.stringify({ inputs, expressions })])) as number[]
  const ours: number[] = []
  for (const expression of expressions) ours.push(await flopsOf(expression))
  expect(Object.fromEntries(expressions.map((one, index) => [one, ours[index]]))).toEqual(
    Object.fromEntries(expressions.map((one, index) => [one, theirs[index]])),
  )
  // Both may be wrong together only where both see nothing.
  expect(ours.filter((flops) => flops > 0)).toHaveLength(expressions.length - 1)
})

it('products with vectors are counted, and an operation without a known count makes the sum 0', async () => {
  expect(await flopsOf('torch.mv(a, v)')).toBe(2 * 7 * 5)
  expect(await flopsOf('torch.dot(v, v)')).toBe(2 * 5)
  expect(await flopsOf('torch.mm(a, b) + torch.linalg_inv(torch.mm(c, c.t())).sum()')).toBe(0)
  expect(await flopsOf('torch.mm(a.to(torch.int32), b.to(torch.int32))')).toBe(0)
})
