import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { captureReport, captureRequest, graph as graphShape } from '../../electron/contract/graph'
import type { CaptureReport, CaptureRequest, Graph, GraphNode } from '../../electron/contract/graph'
import { inputSpec } from '../../electron/contract/manifest'
import type { NativeAddon } from '../../electron/host/addon'
import { askPython } from '../support/python'
import { failureOf, fixtureLibrary, loadAddon } from './fixture'

let addon: NativeAddon
let folder: string

beforeAll(async () => {
  addon = loadAddon()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-graphs-'))
  await addon.call('library.load', { path: fixtureLibrary('operators') })
})
afterAll(async () => {
  await addon.call('library.unload', {})
  fs.rmSync(folder, { recursive: true, force: true })
})

const source = `import torch


class Counter:
    def __init__(self, start: int):
        self.n = start

    def add(self, x):
        self.n += 1
        return x + self.n


def inner(x):
    return torch.relu(torch.ops.fixture.scaled(x, x, 2.0))


def outer(x):
    return inner(x).sum() + 1


def branches(x, y):
    if bool(x[0][0] == 42):
        z = 5
    else:
        z = 10
    for i in range(x.size(0)):
        z += i
    return x * y + z


def counts(x):
    counter = Counter(3)
    return counter.add(counter.add(x)), x.sum()


def large(x):
    n = 9223372036854775807
    return x[0:n] + float("inf")


def divides(x, y):
    return (x / y, torch.log(x - x))
`
const program = { file: 'program.py', source }
const inputs = {
  x: inputSpec.parse({ shape: [3, 4], requires_grad: true }),
  y: inputSpec.parse({ shape: [3, 4], seed: 5 }),
  marked: inputSpec.parse({ shape: [3, 4], distribution: 'full', low: 42 }),
  zero: inputSpec.parse({ shape: [3, 4], distribution: 'zeros' }),
}

async function capture(request: Partial<CaptureRequest>): Promise<CaptureReport> {
  const given = captureRequest.parse({ form: 'script', inputs, program, ...request })
  return captureReport.parse(await addon.call('graph.capture', given))
}

async function read(
  report: CaptureReport,
  step = report.steps.length - 1,
): Promise<{ graph: Graph; text: string }> {
  const { graph, text } = await addon.call('graph.read', { capture: report.capture, step })
  return { graph: graphShape.parse(JSON.parse(graph)), text }
}

function allNodes(nodes: readonly GraphNode[]): GraphNode[] {
  return nodes.flatMap((node) => [
    node,
    ...(node.blocks ?? []).flatMap((block) => allNodes(block.nodes)),
  ])
}

const kindsOf = (graph: Graph): string[] => allNodes(graph.nodes).map((node) => node.kind)

describe('a script graph', () => {
  it('the script graph has nested blocks, source places, schemas and marks on custom operators', async () => {
    const { graph, text } = await read(await capture({ entry: 'branches' }))
    const nodes = allNodes(graph.nodes)
    expect(nodes.map((node) => node.id)).toEqual(nodes.map((_, index) => index))
    const branch = nodes.find((node) => node.kind === 'prim::If')
    expect(branch?.blocks?.map((block) => block.label)).toEqual(['then', 'else'])
    expect(branch?.source).toMatchObject({ file: 'program.py', line: 22, column: 5 })
    const loop = nodes.find((node) => node.kind === 'prim::Loop')
    expect(loop?.blocks?.[0]?.inputs.map((value) => value.type)).toEqual(['int', 'int'])
    const lines = text.split('\n')
    for (const node of nodes) {
      expect(lines[node.lines[0]]).toContain(node.kind)
      for (const output of node.outputs) expect(lines[node.lines[0]]).toContain(`%${output.name} :`)
    }
    expect(lines[branch?.lines[1] ?? 0]).toContain('-> (')
    expect(nodes.find((node) => node.kind === 'aten::mul')?.schema).toBe(
      'aten::mul.Tensor(Tensor self, Tensor other) -> Tensor',
    )
  })

  it('numbers that JSON cannot hold keep their values', async () => {
    const { graph } = await read(
      await capture({ entry: 'large', passes: ['constant_propagation'] }),
    )
    const values = allNodes(graph.nodes).map((node) => node.attributes['value'])
    expect(values).toContain('9223372036854775807')
    expect(values).toContain('inf')
  })

  it("methods of the program's classes have graphs", async () => {
    const { graph } = await read(await capture({ entry: 'Counter.add' }))
    expect(kindsOf(graph)).toContain('prim::SetAttr')
    const run = await failureOf(capture({ entry: 'Counter.add', form: 'trace', args: ['x'] }))
    expect(run).toMatchObject({ code: 'input.invalid' })
    expect(run.message).toContain('is a method')
  })

  it('a script graph of an operator or of an unknown name is refused', async () => {
    expect(await failureOf(capture({ entry: 'fixture::scaled' }))).toMatchObject({
      code: 'request.invalid',
      message: 'fixture::scaled is an operator: only functions have a script graph',
    })
    expect((await failureOf(capture({ entry: 'nothing' }))).hint).toContain(
      'Its functions are inner, outer',
    )
  })
})

describe('passes', () => {
  it('every pass keeps its step, and inline names the function each node came from', async () => {
    const report = await capture({
      entry: 'outer',
      passes: ['inline', 'dead_code', 'canonicalize'],
    })
    expect(report.steps.map((step) => step.name)).toEqual([
      'captured',
      'inline',
      'dead_code',
      'canonicalize',
    ])
    expect(kindsOf((await read(report, 0)).graph)).toContain('prim::CallFunction')
    const { graph } = await read(report)
    expect(kindsOf(graph)).not.toContain('prim::CallFunction')
    const scaled = allNodes(graph.nodes).find((node) => node.kind === 'fixture::scaled')
    expect(scaled).toMatchObject({ scope: ['inner'], custom: true, source: { line: 14 } })
  })

  it('inline gives the same graph after the function has run', async () => {
    const before = await read(await capture({ entry: 'outer', passes: ['inline'] }))
    await capture({ entry: 'outer', form: 'trace', args: ['x'] })
    await addon.call('graph.observe', {
      capture: (await capture({ entry: 'outer', args: ['x'] })).capture,
      step: 0,
      runs: 1,
    })
    const after = await read(await capture({ entry: 'outer', passes: ['inline'] }))
    expect(after.text).toBe(before.text)
  })

  it('the alias pass finds which values share memory and which are written to', async () => {
    const text = 'import torch\ndef f(x):\n    y = x.view(-1)\n    y.add_(1)\n    return x\n'
    const report = await capture({
      entry: 'f',
      passes: ['alias_analysis'],
      program: { file: 'alias.py', source: text },
    })
    const { graph } = await read(report)
    const view = graph.nodes.find((node) => node.kind === 'aten::view')
    expect(view?.attributes['may_alias']).toEqual(view?.inputs.slice(0, 1))
    const add = graph.nodes.find((node) => node.kind === 'aten::add_')
    expect(add?.attributes['writes_to']).toEqual(add?.inputs.slice(0, 1))
  })

  it('an unknown pass name is refused by name', async () => {
    const given = { entry: 'outer', form: 'script', args: [], inputs: {}, checks: [], program }
    const request = { ...given, passes: ['nope'] } as unknown as CaptureRequest
    expect(await failureOf(addon.call('graph.capture', request))).toMatchObject({
      code: 'request.invalid',
      message: expect.stringMatching(/^passes\[0\]: expected one of "inline", .*"alias_analysis"$/),
    })
  })
})

describe('a trace', () => {
  it('a trace is flat, has types and places, and lists what it lost', async () => {
    const report = await capture({
      entry: 'branches',
      form: 'trace',
      args: ['x', 'y'],
      checks: [['marked', 'y']],
    })
    const { graph } = await read(report)
    expect(kindsOf(graph)).not.toContain('prim::If')
    expect(graph.inputs.map((value) => value.tensor)).toEqual([
      { dtype: 'float32', shape: [3, 4], strides: [4, 1], device: 'cpu', requiresGrad: true },
      { dtype: 'float32', shape: [3, 4], strides: [4, 1], device: 'cpu', requiresGrad: false },
    ])
    expect(graph.nodes.find((node) => node.kind === 'aten::mul')?.source?.line).toBe(28)
    expect(report.warnings.map((warning) => [warning.kind, warning.source?.line])).toEqual([
      ['control-flow-lost', 22],
      ['control-flow-lost', 26],
      ['not-reproduced', undefined],
    ])
    expect(report.checks).toMatchObject([
      { inputs: 'branches(marked, y)', matches: false, maxAbsolute: 5 },
      { inputs: 'inputs with other seeds', matches: true, maxAbsolute: 0 },
    ])
  })

  it('a trace of code without branches has no warnings', async () => {
    const report = await capture({ entry: 'outer', form: 'trace', args: ['x'] })
    expect(report.warnings).toEqual([])
    expect(report.checks).toMatchObject([{ matches: true }])
    const { graph } = await read(report)
    expect(graph.nodes.find((node) => node.kind === 'aten::relu')?.scope).toEqual(['inner'])
  })

  it('a single operator can be traced', async () => {
    const report = await capture({ entry: 'fixture::scaled', form: 'trace', args: ['x', 'y', 3] })
    const { graph } = await read(report)
    expect(kindsOf(graph)).toContain('fixture::scaled')
  })
})

describe('an autograd graph', () => {
  it('the autograd graph leads from the outputs to the leaves and has the saved tensors', async () => {
    const report = await capture({ entry: 'branches', form: 'autograd', args: ['x', 'y'] })
    const { graph, text } = await read(report)
    expect(graph.nodes.map((node) => node.kind)).toEqual([
      'AddBackward1',
      'MulBackward0',
      'AccumulateGrad',
    ])
    expect(graph.nodes[1]?.attributes).toEqual({ saved: ['y: Float(3, 4)'], saved_bytes: 48 })
    expect(graph.nodes[2]?.attributes).toEqual({ variable: 'x' })
    expect(graph.outputs).toEqual(['x.grad'])
    expect(text.split('\n')[2]).toContain('MulBackward0')
    expect(
      (await failureOf(capture({ entry: 'branches', form: 'autograd', args: ['y', 'y'] }))).message,
    ).toContain('No output of branches requires grad')
  })
})

describe('a run node by node', () => {
  it('running node by node counts calls, times, new memory and values', async () => {
    const report = await capture({ entry: 'branches', args: ['x', 'y'] })
    const { graph } = await read(report)
    const observation = await addon.call('graph.observe', {
      capture: report.capture,
      step: 0,
      runs: 3,
    })
    const nodes = allNodes(graph.nodes)
    expect(observation.nodes).toHaveLength(nodes.length)
    const of = (kind: string) => observation.nodes[nodes.findIndex((node) => node.kind === kind)]
    const inLoop = nodes.find((node) => node.kind === 'prim::Loop')?.blocks?.[0]?.nodes[0]
    expect(observation.nodes[inLoop?.id ?? 0]?.calls).toBe(3)
    expect(of('aten::mul')).toMatchObject({ calls: 1, bytes: 48 })
    expect(of('aten::mul')?.values).toMatchObject([{ shape: [3, 4], dtype: 'float32', nan: 0 }])
    // A view holds no memory of its own.
    expect(of('aten::select')?.bytes).toBe(0)
    expect(of('prim::Loop')?.seconds).toBeGreaterThanOrEqual(
      observation.nodes[inLoop?.id ?? 0]?.seconds ?? 1,
    )
  })

  it('running node by node finds NaN and Inf, and can call methods of objects', async () => {
    const report = await capture({ entry: 'divides', args: ['x', 'zero'] })
    const values = (
      await addon.call('graph.observe', { capture: report.capture, step: 0, runs: 1 })
    ).nodes.flatMap((node) => node.values)
    expect(values.map((value) => value.inf)).toContain(12)
    const counted = await capture({ entry: 'counts', args: ['x'] })
    expect(
      (await addon.call('graph.observe', { capture: counted.capture, step: 0, runs: 2 })).runs,
    ).toBe(2)
  })

  it('running node by node without arguments is refused', async () => {
    const report = await capture({ entry: 'branches' })
    expect(
      (await failureOf(addon.call('graph.observe', { capture: report.capture, step: 0, runs: 1 })))
        .message,
    ).toContain('captured without arguments')
  })

  it('an executed graph can be run node by node', async () => {
    const report = await capture({ entry: 'branches', form: 'executed', args: ['x', 'y'] })
    const observation = await addon.call('graph.observe', {
      capture: report.capture,
      step: 0,
      runs: 2,
    })
    expect(observation.nodes.filter((node) => node.calls > 0).length).toBeGreaterThan(5)
  })
})

describe('captures', () => {
  it('a capture can be released, and unloading its library removes it', async () => {
    const report = await capture({ entry: 'outer' })
    expect(
      (await addon.call('graph.release', { captures: [report.capture, report.capture] })).released,
    ).toBe(1)
    expect(
      (await failureOf(addon.call('graph.read', { capture: report.capture, step: 0 }))).hint,
    ).toBe('Capture the graph again.')
    const other = await capture({ entry: 'outer' })
    await addon.call('library.unload', {})
    expect(
      (await failureOf(addon.call('graph.read', { capture: other.capture, step: 0 }))).code,
    ).toBe('request.invalid')
    await addon.call('library.load', { path: fixtureLibrary('operators') })
  })
})

describe('model archives', () => {
  it('an archive saved here runs in Python and opens here again', async () => {
    const report = await capture({ entry: 'branches', args: ['x', 'y'] })
    const file = path.join(folder, 'branches.pt')
    expect((await addon.call('graph.save', { capture: report.capture, path: file })).bytes).toBe(
      fs.statSync(file).size,
    )
    expect(fs.readdirSync(folder)).toEqual(['branches.pt'])
    const answer = await askPython(
      `import torch\nm = torch.jit.load(${JSON.stringify(file)})\n` +
        'import json; print(json.dumps([m(torch.full((2, 2), 42.0), torch.zeros(2, 2)).tolist(), "prim::If" in str(m.graph)]))',
    )
    expect(answer).toEqual([
      [
        [6, 6],
        [6, 6],
      ],
      true,
    ])
    const archive = await addon.call('graph.archive', { path: file })
    expect(archive.entries.map((entry) => entry.name)).toEqual(['forward'])
    const opened = await read(await capture({ entry: 'forward', file }))
    expect(kindsOf(opened.graph)).toContain('prim::If')
  })

  it('an archive with missing operators names them, and a file that is no archive is refused', async () => {
    const report = await capture({ entry: 'outer' })
    const file = path.join(folder, 'outer.pt')
    await addon.call('graph.save', { capture: report.capture, path: file })
    await addon.call('library.unload', {})
    expect(await addon.call('graph.archive', { path: file })).toMatchObject({
      entries: [],
      missing: ['fixture::scaled'],
    })
    expect((await failureOf(capture({ entry: 'forward', file }))).message).toBe(
      'outer.pt uses operators or classes that are not registered: fixture::scaled',
    )
    await addon.call('library.load', { path: fixtureLibrary('operators') })
    const text = path.join(folder, 'text.pt')
    fs.writeFileSync(text, 'hello')
    expect((await failureOf(addon.call('graph.archive', { path: text }))).message).toContain(
      'is not a TorchScript archive',
    )
    expect(
      (await failureOf(addon.call('graph.archive', { path: path.join(folder, 'none.pt') }))).code,
    ).toBe('io')
    const broken = path.join(folder, 'broken.pt')
    fs.writeFileSync(broken, fs.readFileSync(file).subarray(0, 2000))
    expect((await failureOf(addon.call('graph.archive', { path: broken }))).code).toBe(
      'input.invalid',
    )
  })

  it("a module from an archive is traced, frozen and run with the modules' names", async () => {
    const file = path.join(folder, 'net.pt')
    // torch.jit.script reads the source of a module, so it must lie in a file.
    fs.writeFileSync(
      path.join(folder, 'net.py'),
      `import torch
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(2, 2, 3, padding=1)
        self.bn = torch.nn.BatchNorm2d(2)
    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(Block(), Block())
    def forward(self, x):
        return self.layers(x)
`,
    )
    await askPython(
      `import sys; sys.path.insert(0, ${JSON.stringify(folder)}); import torch, net\n` +
        `torch.jit.script(net.Net()).save(${JSON.stringify(file)}); print("null")`,
    )
    const spec = { image: inputSpec.parse({ shape: [1, 2, 6, 6] }) }
    const request = { entry: 'forward', file, inputs: spec, args: ['image'] }
    const traced = (await read(await capture({ ...request, form: 'trace' }))).graph
    const conv = traced.nodes.filter((node) => node.kind === 'aten::_convolution')
    expect(conv.map((node) => node.scope)).toEqual([
      ['layers', '0', 'conv'],
      ['layers', '1', 'conv'],
    ])
    const frozen = await capture({ ...request, passes: ['inline', 'freeze'] })
    expect(kindsOf((await read(frozen, 1)).graph)).toContain('aten::batch_norm')
    expect(kindsOf((await read(frozen, 2)).graph)).not.toContain('aten::batch_norm')
    expect(frozen.steps[2]?.note).toContain('eval mode')
    const observed = await addon.call('graph.observe', {
      capture: frozen.capture,
      step: 0,
      runs: 1,
    })
    expect(observed.nodes.some((node) => node.values.length > 0)).toBe(true)
    const nested = await read(await capture({ ...request, entry: 'layers.0.forward' }))
    expect(kindsOf(nested.graph)).toContain('prim::CallMethod')
    const leaves = await read(await capture({ ...request, form: 'autograd' }))
    expect(leaves.graph.outputs).toContain('layers.1.conv.weight.grad')
  })
})
