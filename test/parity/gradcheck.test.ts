import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { GradcheckReport } from '../../electron/contract/gradcheck'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { Workbench } from '../../electron/engine/workbench'
import { makeTestCache, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { askPython, makeInputsInPython } from '../support/python'
import { operatorCases } from './gradcheck-operators'
import type { OperatorCase } from './gradcheck-operators'

/** Each case is checked with each of these, here and by torch.autograd.gradcheck. */
const variants: Record<string, { secondOrder: boolean; options: Record<string, unknown> }> = {
  defaults: { secondOrder: false, options: {} },
  'forward mode': { secondOrder: false, options: { check_forward_ad: true } },
  fast: { secondOrder: false, options: { fast_mode: true } },
  'fast, forward mode': {
    secondOrder: false,
    options: { fast_mode: true, check_forward_ad: true },
  },
  batched: { secondOrder: false, options: { check_batched_grad: true } },
  'batched, forward mode': {
    secondOrder: false,
    options: { check_forward_ad: true, check_batched_forward_grad: true },
  },
  'second order': { secondOrder: true, options: {} },
  'second order, forward over reverse': {
    secondOrder: true,
    options: { check_fwd_over_rev: true },
  },
}

/** Prints by case and variant {ok, message}. An exception that is no GradcheckError is one too. */
const script = `
import json, sys, warnings
${makeInputsInPython}
warnings.simplefilter("ignore")
torch.set_num_threads(1)

def flat(value, tensors):
    if isinstance(value, list):
        return [t for v in value for t in flat(v, tensors)]
    return [value] if isinstance(value, str) and value in tensors else []

def build(value, given):
    if isinstance(value, list):
        return [build(v, given) for v in value]
    return given.pop(0) if isinstance(value, str) and value in build.tensors else value

with open(sys.argv[1]) as file:
    asked = json.load(file)
answers = {}
for name, case in asked["cases"].items():
    namespace, op = case["op"].split("::")
    op, _, overload = op.partition(".")
    function = getattr(getattr(torch.ops, namespace), op)
    function = getattr(function, overload or "default") if overload else function
    answers[name] = {}
    for variant, how in asked["variants"].items():
        tensors = make_inputs(case["inputs"])
        names = flat(case["args"], tensors)
        def call(*inputs):
            build.tensors = tensors
            given = list(inputs)
            result = function(*[build(arg, given) for arg in case["args"]])
            return tuple(result) if isinstance(result, list) else result
        check = torch.autograd.gradgradcheck if how["secondOrder"] else torch.autograd.gradcheck
        torch.manual_seed(0)
        try:
            ok = check(call, tuple(tensors[n] for n in names), **how["options"])
            answers[name][variant] = {"ok": ok, "message": ""}
        except Exception as error:
            answers[name][variant] = {"ok": False, "message": str(error)[:4000]}
print(json.dumps(answers))
`

/** Which check a message of Python's gradcheck is about; undefined for an operator's own error. */
function checkIn(message: string): string | undefined {
  const signs: [RegExp, string][] = [
    [/Jacobian computed with forward mode mismatch/, 'forward'],
    [/Jacobian mismatch/, 'backward'],
    [/not reentrant/, 'reentrant'],
    [/batched grad|under vmap|batched gradients/, 'batched'],
    [/undefined/, 'undefined'],
    [/not multiplied by grad_output/, 'zero_grad_output'],
    [/expected to be zero/, 'no_differentiable_outputs'],
    [/requires_grad=True/, 'inputs'],
  ]
  return signs.find(([sign]) => sign.test(message))?.[1]
}

const cases = new Map<string, OperatorCase>()
for (const [family, entries] of Object.entries(operatorCases)) {
  for (const entry of entries) {
    const name = `${family}: ${entry.op.slice(6)}`
    cases.set(cases.has(name) ? `${name} (${cases.size})` : name, entry)
  }
}

let cache: TestCache
let workbench: Workbench
let python: Record<string, Record<string, { ok: boolean; message: string }>> = {}

beforeAll(async () => {
  cache = makeTestCache()
  workbench = new Workbench(testInstallation(cache), startForkedHost, {}, { keepSpare: false })
  await workbench.applySettings()
  const asked = path.join(cache.home, 'cases.json')
  fs.writeFileSync(asked, JSON.stringify({ cases: Object.fromEntries(cases), variants }))
  python = (await askPython(script, [asked])) as typeof python
}, 300_000)
afterAll(async () => {
  await workbench.close()
  cache.remove()
})

async function ours(entry: OperatorCase, variant: string): Promise<GradcheckReport> {
  const how = variants[variant]
  if (!how) throw new Error(`no variant ${variant}`)
  const options = gradcheckOptions.parse(how.options)
  const report = await workbench.hosts.call(
    'gradcheck.run',
    { ...entry, secondOrder: how.secondOrder, options, keepJacobians: false },
    { timeout: 120, phase: `gradcheck ${entry.op}` },
  )
  return unwrap(report)
}

describe("gradcheck's verdicts are torch.autograd.gradcheck's", () => {
  it('on at least 150 operators', () => {
    const names = new Set([...cases.values()].map((entry) => entry.op))
    expect(names.size).toBeGreaterThanOrEqual(150)
  })

  it.each([...cases.keys()])('%s', async (name) => {
    const entry = cases.get(name)
    if (!entry) throw new Error('no such case')
    for (const variant of Object.keys(variants)) {
      const theirs = python[name]?.[variant]
      const report = await ours(entry, variant)
      const failures = report.findings.filter((finding) => finding.status === 'failed')
      const failed = failures.map((finding) => `${finding.check}: ${finding.reason}`)
      const verdict = { variant, ok: report.ok, because: report.ok ? '' : failed.join('; ') }
      expect(verdict, theirs?.message).toMatchObject({ ok: theirs?.ok })
      const check = checkIn(theirs?.message ?? '')
      // What differs from call to call may fail one check here and another there.
      if (check !== undefined && entry.op !== 'aten::bernoulli')
        expect(failed.join('\n'), `${variant}: ${theirs?.message}`).toContain(check)
    }
  })
})
