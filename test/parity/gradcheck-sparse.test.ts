import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { GradcheckReport } from '../../electron/contract/gradcheck'
import type { InputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { askPython, makeInputsInPython } from '../support/python'
import { useWorkbench } from '../support/workbench'

/** TorchScript here, plain Python there. `wrong_…`: its value is right, its gradient is not. */
const source = `
def product(x, y):
    return torch.sparse.mm(x, y)

def matmul(x, y):
    return x @ y

def dense(x):
    return x.to_dense()

def masked_dense(x):
    return x.to_dense(masked_grad=True)

def whole_dense(x):
    return x.to_dense(masked_grad=False)

def total(x):
    return x.sum()

def squares(x):
    d = x.to_dense(masked_grad=False)
    return d * d

def sparse_output(x):
    return x * 2

def wrong_factor(x):
    d = x.to_dense(masked_grad=False)
    return 3 * d - 2 * d.detach()

def wrong_one(x, y):
    p = torch.sparse.mm(x, y)
    return p + (y - y.detach()).sum()

def broken_when_zero(x):
    d = x.to_dense(masked_grad=False)
    return d * d.ne(0).to(d.dtype).detach()
`

const base = {
  dtype: 'float64',
  device: 'cpu',
  distribution: 'randn',
  requires_grad: true,
} as const
const layouts = {
  coo: { layout: 'sparse_coo' },
  csr: { layout: 'sparse_csr' },
  csc: { layout: 'sparse_csc' },
  bsr: { layout: 'sparse_bsr', blocksize: [2, 2], density: 0.15 },
  bsc: { layout: 'sparse_bsc', blocksize: [2, 2], density: 0.15 },
} satisfies Record<string, Partial<InputSpec>>

const drawn: InputSpec = { ...base, shape: [4, 6], seed: 1, density: 0.4 }
const inputs: Record<string, InputSpec> = {
  ...Object.fromEntries(
    Object.entries(layouts).map(([name, layout]) => [name, { ...drawn, ...layout }]),
  ),
  literal: {
    ...base,
    layout: 'sparse_csr',
    values: [
      [0, 2, 0],
      [1, 0, 3],
    ],
  },
  // One element is specified twice, and one as 0.
  twice: {
    ...base,
    shape: [2, 3],
    layout: 'sparse_coo',
    indices: [
      [0, 1, 0, 1],
      [2, 0, 2, 1],
    ],
    values: [1.5, -2, 0.5, 0],
  },
  complex: { ...drawn, dtype: 'complex128', layout: 'sparse_coo' },
  none: { ...drawn, layout: 'sparse_coo', density: 0 },
  constant: { ...drawn, layout: 'sparse_csr', requires_grad: false },
  y: { ...base, shape: [6, 2], seed: 2 },
}

interface SparseCase {
  op: string
  args: string[]
  options: Record<string, unknown>
  secondOrder?: boolean
}
const cases = new Map<string, SparseCase>()
const add = (op: string, args: string[], more: Partial<SparseCase> = {}): void => {
  for (const masked of [false, true]) {
    const options = { masked, ...more.options }
    const name = [`${op}(${args.join(', ')})`, JSON.stringify(options), more.secondOrder ? '2' : '']
    cases.set(name.join(' ').trim(), { op, args, ...more, options })
  }
}
for (const layout of Object.keys(layouts)) {
  for (const op of ['dense', 'masked_dense', 'whole_dense', 'squares', 'wrong_factor']) {
    add(op, [layout])
    add(op, [layout], { options: { fast_mode: true } })
  }
  add('matmul', [layout, 'y'])
}
for (const layout of ['coo', 'csr']) {
  add('product', [layout, 'y'])
  add('product', [layout, 'y'], { options: { fast_mode: true } })
  add('wrong_one', [layout, 'y'])
  add('total', [layout])
  add('sparse_output', [layout])
  add('squares', [layout], { options: { check_forward_ad: true } })
  add('squares', [layout], { options: { check_batched_grad: true } })
  add('squares', [layout], { secondOrder: true })
}
for (const input of ['literal', 'twice', 'complex', 'none']) {
  add('whole_dense', [input])
  add('masked_dense', [input], { options: { fast_mode: true } })
}
add('squares', ['twice'], { options: { fast_mode: true } })
add('broken_when_zero', ['coo'])
add('product', ['constant', 'y'])
add('product', ['constant', 'y'], { options: { check_forward_ad: true } })

const script = `
import json, sys, warnings
${makeInputsInPython}
warnings.simplefilter("ignore")
torch.set_num_threads(1)
with open(sys.argv[1]) as file:
    asked = json.load(file)
program = {"torch": torch}
exec(asked["source"], program)
answers = {}
for name, case in asked["cases"].items():
    tensors = make_inputs(asked["inputs"])
    function = program[case["op"]]
    check = torch.autograd.gradgradcheck if case.get("secondOrder") else torch.autograd.gradcheck
    torch.manual_seed(0)
    try:
        ok = check(lambda *given: function(*given), tuple(tensors[n] for n in case["args"]), **case["options"])
        answers[name] = {"ok": ok, "message": ""}
    except Exception as error:
        answers[name] = {"ok": False, "message": str(error)[:2000]}
print(json.dumps(answers))
`

const { workbench, cache } = useWorkbench()
let python: Record<string, { ok: boolean; message: string }> = {}

beforeAll(async () => {
  const asked = path.join(cache.home, 'cases.json')
  fs.writeFileSync(asked, JSON.stringify({ cases: Object.fromEntries(cases), inputs, source }))
  python = (await askPython(script, [asked])) as typeof python
})

async function ours(entry: SparseCase): Promise<GradcheckReport> {
  const { op, args, secondOrder = false } = entry
  const options = gradcheckOptions.parse(entry.options)
  const program = { file: 'program.py', source: `import torch\n${source}` }
  const request = { op, args, inputs, program, secondOrder, options, keepJacobians: false }
  const limits = { timeout: 120, phase: `gradcheck ${op}` }
  return unwrap(await workbench.hosts.call('gradcheck.run', request, limits))
}

describe('verdicts on sparse inputs', () => {
  it.each([...cases.keys()])(
    'the verdict on %s equals that of torch.autograd.gradcheck',
    async (name) => {
      const entry = cases.get(name)
      if (!entry) throw new Error('no such case')
      const report = await ours(entry)
      const failures = report.findings.filter((finding) => finding.status === 'failed')
      const failed = failures.map((finding) => `${finding.check}: ${finding.reason}`).join('; ')
      const theirs = python[name]
      expect({ ok: report.ok, failed }, theirs?.message).toMatchObject({ ok: theirs?.ok })
      if (theirs?.message.includes('Jacobian mismatch')) expect(failed).toContain('backward: ')
      if (theirs?.message.includes('Sparse output')) expect(failed).toContain('outputs: ')
    },
  )

  it('the cases include both verdicts', () => {
    const verdicts = Object.values(python).map((answer) => answer.ok)
    expect(verdicts.filter(Boolean).length).toBeGreaterThan(20)
    expect(verdicts.filter((ok) => !ok).length).toBeGreaterThan(20)
  })
})
