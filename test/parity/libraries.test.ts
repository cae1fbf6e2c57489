import path from 'node:path'

import { describe, expect, it } from 'vitest'

import type { InputSpec } from '../../electron/contract/manifest'
import type { RunReport } from '../../electron/contract/run'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root } from '../support/installation'
import { askPython, makeInputsInPython } from '../support/python'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench({ inWindow: true })

/** Makes the inputs, loads the library, calls, prints the first tensor. */
const script = `
import json, sys
${makeInputsInPython}
torch.set_num_threads(1)
library, op, args, inputs = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
torch.ops.load_library(library)
tensors = make_inputs(inputs)
namespace, name = op.split("::")
result = getattr(getattr(torch.ops, namespace), name)(*[tensors.get(a, a) if isinstance(a, str) else a for a in args])
result = result[0] if isinstance(result, (list, tuple)) else result
print(json.dumps({"shape": list(result.shape), "dtype": str(result.dtype), "values": result.detach().double().flatten().tolist()}))
`

async function hostValues(report: RunReport): Promise<number[]> {
  const [output] = report.outputs
  if (output?.kind !== 'tensor') throw new Error('the first output is no tensor')
  const rows = output.shape.at(-2) ?? 1
  const page = await workbench.hosts.call(
    'tensor.page',
    {
      handle: output.handle,
      index: output.shape.slice(0, -2).map(() => 0),
      rowStart: 0,
      rowCount: Math.min(rows, 1024),
      columnStart: 0,
      columnCount: 1024,
    },
    { timeout: 60, phase: '' },
  )
  if (!page.ok) throw new Error(page.error.message)
  return page.value.values
}

describe("built libraries in Python's torch", () => {
  it.each([
    ['warp_perspective', 'my_ops::warp_perspective'],
    ['my_op', 'my_op::my_op'],
    ['rms_norm', ''],
  ])('%s gives the same tensor in Python', async (sample, wanted) => {
    const folder = copyProject(path.join(root, 'samples', sample), cache)
    const manifest = await readManifest(folder)
    if (!manifest.ok) throw new Error(manifest.error.message)
    const build = await workbench.builds.build(folder)
    if (!build.ok || !build.value.ok) throw new Error('the build failed')
    const call = manifest.value.calls.find(
      (item) => item.op.includes('::') && (wanted === '' || item.op === wanted),
    )
    if (!call) throw new Error(`no call of ${wanted}`)
    const run = await workbench.runs.run(
      folder,
      { op: call.op, args: call.args, inputs: manifest.value.inputs },
      { timeout: 60 },
    )
    if (!run.ok) throw new Error(run.error.message)
    const ours = await hostValues(run.value)
    const theirs = (await askPython(script, [
      build.value.library,
      call.op,
      JSON.stringify(call.args),
      JSON.stringify(manifest.value.inputs),
    ])) as { shape: number[]; values: number[] }
    const [output] = run.value.outputs
    expect(output?.kind === 'tensor' && output.shape).toEqual(theirs.shape)
    expect(ours).toEqual(theirs.values.slice(0, ours.length))
    expect(ours.length).toBeGreaterThan(0)
  })
})

describe('drawn inputs', () => {
  it.each([
    ['float64', 'randn'],
    ['float32', 'randn'],
    ['bfloat16', 'randn'],
    ['float32', 'rand'],
    ['int64', 'randint'],
  ])(
    'inputs of dtype %s from %s equal those of torch.manual_seed bit for bit',
    async (dtype, distribution) => {
      const folder = copyProject(path.join(root, 'samples/my_op'), cache)
      const build = await workbench.builds.build(folder)
      if (!build.ok || !build.value.ok) throw new Error('the build failed')
      const spec = {
        shape: [17, 9],
        dtype,
        device: 'cpu',
        distribution,
        seed: 42,
        requires_grad: false,
        ...(distribution === 'randint' ? { low: -5, high: 1000 } : {}),
      }
      const inputs = { x: spec } as unknown as Record<string, InputSpec>
      const run = await workbench.runs.run(
        folder,
        { op: 'aten::clone', args: ['x'], inputs },
        { timeout: 60 },
      )
      if (!run.ok) throw new Error(run.error.message)
      const theirs = (await askPython(
        `
import json, torch
torch.manual_seed(42)
dtype = torch.${dtype}
t = torch.randint(-5, 1000, [17, 9], dtype=dtype) if "${distribution}" == "randint" else torch.${distribution === 'randint' ? 'rand' : distribution}([17, 9], dtype=dtype)
print(json.dumps(t.double().flatten().tolist()))`,
      )) as number[]
      expect(await hostValues(run.value)).toEqual(theirs)
    },
  )
})
