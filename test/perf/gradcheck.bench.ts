import fs from 'node:fs'
import path from 'node:path'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import { inputSpec } from '../../electron/contract/manifest'
import type { InputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { askPython, makeInputsInPython } from '../support/python'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

interface Case {
  name: string
  op: string
  args: string[]
  inputs: Record<string, InputSpec>
  rounds: number
  secondOrder: boolean
  options: Record<string, unknown>
}

const input = (shape: number[], seed: number): InputSpec =>
  inputSpec.parse({ shape, dtype: 'float64', seed, requires_grad: true })
const layer = (size: number): Record<string, InputSpec> => ({
  a: input([size, size], 0),
  x: input([size, size], 1),
  w: input([size, size], 2),
  b: input([size], 3),
})
const first = { secondOrder: false, options: {} }

const cases: Case[] = [
  {
    name: 'sigmoid of 1,000 elements',
    op: 'sigmoid::sigmoid',
    args: ['x'],
    inputs: { x: input([1000], 0) },
    rounds: 9,
    ...first,
  },
  {
    name: 'sigmoid of 1,000 elements, forward mode',
    op: 'aten::sigmoid',
    args: ['x'],
    inputs: { x: input([1000], 0) },
    rounds: 5,
    secondOrder: false,
    options: { check_forward_ad: true, check_backward_ad: false },
  },
  {
    name: 'sigmoid of 100 elements, second order',
    op: 'aten::sigmoid',
    args: ['x'],
    inputs: { x: input([100], 0) },
    rounds: 5,
    secondOrder: true,
    options: {},
  },
  {
    name: 'gc_layer at 64x64',
    op: 'gc_layer::gc_layer',
    args: ['a', 'x', 'w', 'b'],
    inputs: layer(64),
    rounds: 3,
    ...first,
  },
  {
    name: 'gc_layer at 64x64, fast mode',
    op: 'gc_layer::gc_layer',
    args: ['a', 'x', 'w', 'b'],
    inputs: layer(64),
    // A check takes a millisecond or two: until both have warmed up, a median is one of their start.
    rounds: 100,
    secondOrder: false,
    options: { fast_mode: true },
  },
]

/** Seconds of each round of torch.autograd.gradcheck on the same operator of the same library. Both make the inputs. */
const peer = `
import json, sys, time
${makeInputsInPython}
with open(sys.argv[1]) as file:
    case = json.load(file)
for library in case["libraries"]:
    torch.ops.load_library(library)
namespace, name = case["op"].split("::")
op = getattr(getattr(torch.ops, namespace), name)
check = torch.autograd.gradgradcheck if case["secondOrder"] else torch.autograd.gradcheck
seconds = []
for round in range(case["rounds"] + 1):
    started = time.perf_counter()
    tensors = make_inputs(case["inputs"])
    assert check(op, tuple(tensors[name] for name in case["args"]), **case["options"])
    seconds.append(time.perf_counter() - started)
print(json.dumps(seconds[1:]))
`

/** Gradcheck in the op host beside Python's, on the same operators. The first round of both warms up. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const workbench = new Workbench(testInstallation(cache), startForkedHost, {}, commandOptions)
  const rows: Row[] = []
  try {
    await workbench.applySettings()
    const folders = ['sigmoid', 'gc_layer'].map((name) =>
      copyProject(path.join(root, 'samples', name), cache),
    )
    const libraries = new Map<string, string>()
    for (const folder of folders) {
      const build = unwrap(await workbench.builds.build(folder))
      if (!build.ok) throw new Error(`${folder} does not build`)
      libraries.set(folder, build.library)
    }
    const wanted = cases.filter(({ name }) => name.includes(options.only ?? ''))
    for (const { name, op, args, inputs, rounds, secondOrder, options: given } of wanted) {
      options.say(name)
      const folder = folders.find((item) => path.basename(item) === op.split('::')[0])
      if (folder !== undefined) unwrap(await workbench.libraries.load(folder, { timeout: 60 }))
      const seconds = await sample(rounds + 1, async () => {
        const report = await workbench.hosts.call(
          'gradcheck.run',
          {
            op,
            args,
            inputs,
            secondOrder,
            keepJacobians: false,
            options: gradcheckOptions.parse(given),
          },
          { timeout: 300, phase: name },
        )
        if (!unwrap(report).ok) throw new Error(`${name} does not pass`)
      })
      const file = path.join(cache.home, 'case.json')
      fs.writeFileSync(
        file,
        JSON.stringify({
          op,
          args,
          inputs,
          rounds,
          secondOrder,
          options: given,
          libraries: [...libraries.values()],
        }),
      )
      const samples = (await askPython(peer, [file])) as number[]
      const what = secondOrder ? 'torch.autograd.gradgradcheck' : 'torch.autograd.gradcheck'
      rows.push(row(name, 's', seconds.slice(1), { name: what, samples }))
    }
    return rows
  } finally {
    await workbench.close()
    cache.remove()
  }
}
