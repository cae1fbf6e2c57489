import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { CaptureReport, Graph, GraphForm, GraphPass } from '../../electron/contract/graph'
import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const program = `import torch


def constants(x):
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    return x[:2, :2] * table, torch.tensor(7)


def less_than_size(x):
    return x.size(0) - x


def appended(x):
    sizes = [x.size(0)]
    sizes.append(x.size(1))
    return x.reshape(sizes)


def inserted(x):
    sizes = [x.size(1)]
    sizes.insert(0, 4)
    return x.reshape(sizes)


def strided(x):
    return x * x.stride(0)


def replaced(x):
    sizes = x.shape
    sizes[-1] = 2
    sizes.append(4)
    return x.reshape(sizes)


def attention(x):
    d = x.size(-1)
    return torch.softmax(x @ x.t() / d**0.5, -1), x * max(d, 3), x / (1 + d / 2)


def returned(x):
    return x, x.numel() - 1, x.shape, (x.size(0) / 2, x.size(0) > 3)


def written(x):
    z = x.clone()
    n = x.size(1)
    z[0] = 1.0
    z[:, n - 1] += 2
    z[1:] *= 0.5
    return z, z[..., 1:]


def left_behind(x):
    n = x.size(0)
    return x * float(n), torch.dropout(x, 1 / x.size(1), False)


def once_a_size(x):
    n = x.size(0)
    total = x.sum()
    for i in range(3):
        ones = n + 1
        total = total + torch.ones(ones).sum()
        n = 5 + i
    return total


def wrong_shapes(x):
    y = x + 1
    return y @ x


def nested(x):
    return {"a": [x + 1], "b": [x * 2, x]}


def deep(x):
    for i in range(60000):
        x = x + 1
    return x


def out_of_list(x):
    parts = [x, x]
    return parts[5]

`

const { workbench, cache } = useWorkbench()
let project: string
const limits = { timeout: 170 }

beforeAll(async () => {
  project = copyProject(path.join(root, 'samples/my_op'), cache)
  fs.writeFileSync(path.join(project, 'program.py'), program)
  expect(unwrap(await workbench.builds.build(project)).ok).toBe(true)
})

interface Captured {
  report: CaptureReport
  graph: Graph
  text: string
}

async function captured(
  entry: string,
  form: GraphForm,
  passes: GraphPass[] = [],
): Promise<Captured> {
  const request = { entry, form, args: ['x'], passes }
  const report = unwrap(await workbench.graphs.capture(project, request, limits))
  const read = unwrap(await workbench.graphs.read(report.capture, report.steps.length - 1))
  return { report, graph: JSON.parse(read.graph) as Graph, text: read.text }
}

const baked = (report: CaptureReport): (number | undefined)[] =>
  report.warnings
    .filter((warning) => warning.kind === 'value-baked')
    .map((warning) => warning.source?.line)

describe('traces', () => {
  const entries = [
    'constants',
    'less_than_size',
    'appended',
    'inserted',
    'strided',
    'replaced',
    'attention',
    'returned',
    'written',
    'once_a_size',
  ]
  it.each(entries)('the trace of %s gives the results of the function', async (entry) => {
    const { report } = await captured(entry, 'trace')
    expect(report.checks.map((check) => [check.matches, check.message])).toEqual([[true, '']])
  })

  it('tensors made of numbers are constants, as in Python, and may be returned', async () => {
    const { graph, text } = await captured('constants', 'trace')
    expect(graph.nodes.map((node) => node.kind)).not.toContain('aten::empty')
    expect(text).toMatch(/prim::Constant\[value= 1 {2}2 {2}3 {2}4/)
    expect(graph.nodes.filter((node) => node.kind === 'aten::detach')).toHaveLength(2)
  })

  it('a size minus a tensor and a size in a list stay values', async () => {
    const less = await captured('less_than_size', 'trace')
    expect(less.text).toMatch(/aten::sub\(%\d+, %x, /)
    expect(baked(less.report)).toEqual([])
    const appended = await captured('appended', 'trace')
    expect(appended.graph.nodes.filter((node) => node.kind === 'aten::size')).toHaveLength(2)
    expect(baked(appended.report)).toEqual([])
  })

  it('what is computed from a size stays a value, and a lost size gets a warning', async () => {
    const { graph, report } = await captured('attention', 'trace')
    const kinds = graph.nodes.map((node) => node.kind)
    expect(kinds).toContain('aten::pow')
    expect(kinds.filter((kind) => kind === 'aten::size')).toHaveLength(1)
    const line = program.split('\n').findIndex((text) => text.includes('max(d, 3)')) + 1
    expect(report.warnings.map(({ kind, source }) => [kind, source?.line])).toEqual([
      ['control-flow-lost', line],
    ])
    const left = await captured('left_behind', 'trace')
    expect(baked(left.report)).toHaveLength(2)
    expect((await captured('returned', 'trace')).report.warnings).toEqual([])
  })

  it('a stride becomes a constant with a warning that names strides, not sizes', async () => {
    const { report } = await captured('strided', 'trace')
    expect(report.warnings).toMatchObject([
      { kind: 'value-baked', message: expect.stringContaining('with the same strides') as string },
    ])
  })

  it('a size put into a list in another way becomes a constant with a warning', async () => {
    const { report } = await captured('inserted', 'trace')
    expect(baked(report)).toEqual([program.split('\n').indexOf('    sizes = [x.size(1)]') + 1])
  })
})

describe('errors while a graph runs', () => {
  const line = (text: string): number => program.split('\n').indexOf(text) + 1

  it.each([
    ['wrong_shapes', line('    return y @ x'), 12, /shapes cannot be multiplied/],
    ['out_of_list', line('    return parts[5]'), 12, /out of range/],
  ])('an error in %s gives the line of the program', async (entry, at, column, message) => {
    const file = path.join(project, 'program.py')
    const request = { entry, form: 'trace' as const, args: ['x'] }
    const traced = await workbench.graphs.capture(project, request, limits)
    expect(traced).toMatchObject({ ok: false, error: { file, line: at, column } })
    expect(traced.ok ? '' : traced.error.message).toMatch(message)
    const { report } = await captured(entry, 'script')
    const observed = await workbench.graphs.observe(report.capture, 0, 1, limits)
    expect(observed).toMatchObject({ ok: false, error: { file, line: at, column } })
  })

  it('an error inside libtorch names no source file of libtorch', async () => {
    const request = { entry: 'nested', form: 'trace' as const, args: ['x'] }
    const traced = await workbench.graphs.capture(project, request, limits)
    if (traced.ok) throw new Error('libtorch traces no dict of lists')
    expect(traced.error.message).toMatch(/can be output from traced functions|at the output of the/)
    expect(traced.error.file).toBeUndefined()
  })

  it('a graph too deep for libtorch gives its depth', async () => {
    const request = { entry: 'deep', form: 'trace' as const, args: ['x'] }
    const traced = await workbench.graphs.capture(project, request, limits)
    if (traced.ok) throw new Error('libtorch has passes that need less stack now')
    expect(traced.error).toMatchObject({
      code: 'host.crashed',
      message: expect.stringMatching(
        /^The graph is too deep \(capture deep\): one chain has 60,00\d operators, /,
      ) as string,
      hint: expect.stringMatching(/fewer iterations of its loops\.$/) as string,
    })
  })

  it('code that libtorch generates, such as x.shape, has no source place', async () => {
    const { graph, text } = await captured('replaced', 'script')
    expect(text).toMatch(/# <string>:/)
    const files = graph.nodes.flatMap((node) => node.source?.file ?? [])
    expect(new Set(files)).toEqual(new Set([path.join(project, 'program.py')]))
  })
})

describe('tensors in lists and dicts', () => {
  it('the autograd graph includes tensors in lists and dicts', async () => {
    const { graph } = await captured('nested', 'autograd')
    expect(graph.inputs.map((value) => value.name)).toEqual([
      'grad_output0',
      'grad_output1',
      'grad_output2',
    ])
    expect(graph.nodes.map((node) => node.kind).sort()).toEqual([
      'AccumulateGrad',
      expect.stringMatching(/^AddBackward/),
      expect.stringMatching(/^MulBackward/),
    ])
  })
})
