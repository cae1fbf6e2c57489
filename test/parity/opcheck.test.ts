import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { OpcheckReport } from '../../electron/contract/opcheck'
import type { Manifest } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { askPython, makeInputsInPython } from '../support/python'

/** Which of our checks look at what one of torch.library.opcheck's does. */
const counterparts: Record<string, string[]> = {
  test_schema: ['mutation', 'aliasing'],
  test_autograd_registration: ['autograd_registration'],
  test_faketensor: ['meta'],
}

/** What opcheck lets pass, and ours does not: the holes that CHECKS.md names. */
const holes: Record<string, string> = {
  // allclose does not see a change of a millionth.
  hidden_mutation: 'test_schema',
}

const project = path.join(root, 'test/cases/opcheck/wrong_operators')
const names = Object.keys(
  JSON.parse(fs.readFileSync(path.join(project, 'expected.json'), 'utf8')) as object,
  // What writes outside of its tensors would take Python with it.
).filter((name) => !name.startsWith('writes_'))
const argumentsOf = (name: string): string[] =>
  name === 'one_size' ? ['x', 'y'] : name.includes('autograd') ? ['w'] : ['x']

const script = `
import json, sys, warnings
${makeInputsInPython}
warnings.simplefilter("ignore")
with open(sys.argv[1]) as file:
    asked = json.load(file)
torch.ops.load_library(asked["library"])
answers = {}
for name, args in asked["calls"].items():
    op = getattr(torch.ops.wrong_operators, name).default
    answers[name] = {}
    for test in asked["tests"]:
        tensors = make_inputs(asked["inputs"])
        try:
            torch.library.opcheck(op, tuple(tensors[a] for a in args), test_utils=test)
            answers[name][test] = ""
        except Exception as error:
            answers[name][test] = str(error)[:2000] or type(error).__name__
print(json.dumps(answers))
`

let cache: TestCache
let workbench: Workbench
let manifest: Manifest
let python: Record<string, Record<string, string>> = {}

beforeAll(async () => {
  cache = makeTestCache()
  workbench = new Workbench(testInstallation(cache), startForkedHost, {}, { keepSpare: false })
  await workbench.applySettings()
  const copy = copyProject(project, cache)
  manifest = unwrap(await readManifest(copy))
  const build = unwrap(await workbench.build(copy))
  if (!build.ok) throw new Error('the operators do not build')
  unwrap(await workbench.load(copy, { timeout: 60 }))
  const asked = path.join(cache.home, 'asked.json')
  const calls = Object.fromEntries(names.map((name) => [name, argumentsOf(name)]))
  const { inputs } = manifest
  const tests = Object.keys(counterparts)
  fs.writeFileSync(asked, JSON.stringify({ library: build.library, calls, inputs, tests }))
  python = (await askPython(script, [asked])) as typeof python
}, 300_000)
afterAll(async () => {
  await workbench.close()
  cache.remove()
})

async function ours(name: string): Promise<OpcheckReport> {
  const op = `wrong_operators::${name}`
  return unwrap(
    await workbench.hosts.call(
      'opcheck.run',
      { op, args: argumentsOf(name), inputs: manifest.inputs, shapes: 0 },
      { timeout: 120, phase: `check ${op}` },
    ),
  )
}

describe("operator checks' verdicts are torch.library.opcheck's", () => {
  it.each(names)('on %s', async (name) => {
    const report = await ours(name)
    for (const [test, checks] of Object.entries(counterparts)) {
      const found = report.findings.filter((finding) => checks.includes(finding.check))
      const failed = found.some((finding) => finding.status === 'failed')
      const theirs = python[name]?.[test] ?? 'no answer'
      const wanted = theirs !== '' || holes[name] === test
      // Without an input that requires grad there is nothing to try: opcheck calls that a success.
      const reasons = found.map((finding) => `${finding.status}: ${finding.reason}`).join('; ')
      expect({ test, failed }, `${theirs}\nours: ${reasons}`).toEqual({ test, failed: wanted })
    }
  })
})
