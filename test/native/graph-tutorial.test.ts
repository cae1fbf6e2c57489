import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { Graph, GraphNode } from '../../electron/contract/graph'
import type { InputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

/**
 * The graphs that PyTorch's tutorial on TorchScript custom operators prints, made by the versions of
 * libtorch that it was written with, beside ours: node for node, with constants, wiring and blocks.
 */
const program = `
def compute_traced(x, y, z):
    return x.matmul(y) + torch.relu(z)

def compute_with_operator(x, y, z):
    x = torch.ops.my_ops.warp_perspective(x, torch.eye(3))
    return x.matmul(y) + torch.relu(z)

def compute(x, y):
    if bool(x[0][0] == 42):
        z = 5
    else:
        z = 10
    return x.matmul(y) + z

def compute_scripted(x, y):
    if bool(x[0][0] == 42):
        z = 5
    else:
        z = 10
    x = torch.ops.my_ops.warp_perspective(x, torch.eye(3))
    return x.matmul(y) + z
`

const printed = {
  compute_traced: `
graph(%x : Float(4:8, 8:1), %y : Float(8:5, 5:1), %z : Float(4:5, 5:1)):
  %3 : Float(4:5, 5:1) = aten::matmul(%x, %y)
  %4 : Float(4:5, 5:1) = aten::relu(%z)
  %5 : int = prim::Constant[value=1]()
  %6 : Float(4:5, 5:1) = aten::add(%3, %4, %5)
  return (%6)`,
  compute_with_operator: `
graph(%x.1 : Float(4:8, 8:1), %y : Float(8:5, 5:1), %z : Float(8:5, 5:1)):
  %3 : int = prim::Constant[value=3]()
  %4 : int = prim::Constant[value=6]()
  %5 : int = prim::Constant[value=0]()
  %6 : Device = prim::Constant[value="cpu"]()
  %7 : bool = prim::Constant[value=0]()
  %8 : Float(3:3, 3:1) = aten::eye(%3, %4, %5, %6, %7)
  %x : Float(8:8, 8:1) = my_ops::warp_perspective(%x.1, %8)
  %10 : Float(8:5, 5:1) = aten::matmul(%x, %y)
  %11 : Float(8:5, 5:1) = aten::relu(%z)
  %12 : int = prim::Constant[value=1]()
  %13 : Float(8:5, 5:1) = aten::add(%10, %11, %12)
  return (%13)`,
  compute: `
graph(%x : Dynamic, %y : Dynamic) {
  %14 : int = prim::Constant[value=1]()
  %2 : int = prim::Constant[value=0]()
  %7 : int = prim::Constant[value=42]()
  %z.1 : int = prim::Constant[value=5]()
  %z.2 : int = prim::Constant[value=10]()
  %4 : Dynamic = aten::select(%x, %2, %2)
  %6 : Dynamic = aten::select(%4, %2, %2)
  %8 : Dynamic = aten::eq(%6, %7)
  %9 : bool = prim::TensorToBool(%8)
  %z : int = prim::If(%9)
    block0() {
      -> (%z.1)
    }
    block1() {
      -> (%z.2)
    }
  %13 : Dynamic = aten::matmul(%x, %y)
  %15 : Dynamic = aten::add(%13, %z, %14)
  return (%15)`,
  compute_scripted: `
graph(%x.1 : Dynamic, %y : Dynamic) {
  %20 : int = prim::Constant[value=1]()
  %16 : int[] = prim::Constant[value=[0, -1]]()
  %14 : int = prim::Constant[value=6]()
  %2 : int = prim::Constant[value=0]()
  %7 : int = prim::Constant[value=42]()
  %z.1 : int = prim::Constant[value=5]()
  %z.2 : int = prim::Constant[value=10]()
  %13 : int = prim::Constant[value=3]()
  %4 : Dynamic = aten::select(%x.1, %2, %2)
  %6 : Dynamic = aten::select(%4, %2, %2)
  %8 : Dynamic = aten::eq(%6, %7)
  %9 : bool = prim::TensorToBool(%8)
  %z : int = prim::If(%9)
    block0() {
      -> (%z.1)
    }
    block1() {
      -> (%z.2)
    }
  %17 : Dynamic = aten::eye(%13, %14, %2, %16)
  %x : Dynamic = my_ops::warp_perspective(%x.1, %17)
  %19 : Dynamic = aten::matmul(%x, %y)
  %21 : Dynamic = aten::add(%19, %z, %20)
  return (%21)`,
}

/** What libtorch has changed since, each with what it was; everything else must be equal. */
const changedSince: [was: string, is: string][] = [
  // Tensors became bool by an operator of their own.
  ['prim::TensorToBool(', 'aten::Bool('],
  // Dtype (6: float) and layout (0: strided) became optional, device and pinning too in scripts.
  ['aten::eye(3, 6, 0, "cpu", false)', 'aten::eye(3, null, null, "cpu", false)'],
  ['aten::eye(3, 6, 0, [0,-1])', 'aten::eye(3, null, null, null, null)'],
]

/**
 * A graph as lines: each node with its inputs (constants by value, results by the line that made
 * them, inputs by position), blocks by what they give back, in order.
 */
class Listing {
  readonly lines: string[] = []
  private readonly names = new Map<string, string>()

  constructor(inputs: readonly string[]) {
    for (const [index, name] of inputs.entries()) this.names.set(name, `input ${index}`)
  }

  constant(name: string, value: unknown): void {
    this.names.set(name, JSON.stringify(value))
  }

  node(kind: string, inputs: readonly string[], outputs: readonly string[]): void {
    for (const name of outputs) this.names.set(name, `line ${this.lines.length}`)
    this.lines.push(`${kind}(${this.list(inputs)})`)
  }

  back(label: string, outputs: readonly string[]): void {
    this.lines.push(`${label} (${this.list(outputs)})`)
  }

  private list(names: readonly string[]): string {
    return names.map((name) => this.names.get(name) ?? `unknown ${name}`).join(', ')
  }
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(/%([\w.]+)/g)].map((match) => match[1] ?? '')

/** Reads the text that libtorch printed when the tutorial was written. */
function listPrinted(text: string): string[] {
  const lines = text.trim().split('\n')
  const listing = new Listing(namesIn(lines[0] ?? ''))
  for (const line of lines.slice(1)) {
    const node = /^\s*%([\w.]+) : (.*?) = ([\w:]+)(?:\[value=(.*)\])?\((.*)\)$/.exec(line)
    const [, name = '', type = '', kind = '', value = '', inputs = ''] = node ?? []
    if (kind === 'prim::Constant') {
      const parsed: unknown = JSON.parse(value)
      listing.constant(name, type === 'bool' ? parsed === 1 : parsed)
    } else if (node) listing.node(kind, namesIn(inputs), [name])
    else if (/^\s*->/.test(line)) listing.back('->', namesIn(line))
    else if (/^\s*return/.test(line)) listing.back('return', namesIn(line))
  }
  return listing.lines.map((line) =>
    changedSince.reduce((now, [was, is]) => now.replace(was, is), line),
  )
}

function listGraph(graph: Graph): string[] {
  const listing = new Listing(graph.inputs.map((value) => value.name))
  const visit = (nodes: readonly GraphNode[]): void => {
    for (const node of nodes) {
      const outputs = node.outputs.map((value) => value.name)
      const [name = ''] = outputs
      if (node.kind === 'prim::Constant') listing.constant(name, node.attributes['value'] ?? null)
      else listing.node(node.kind, node.inputs, outputs)
      for (const block of node.blocks ?? []) {
        visit(block.nodes)
        listing.back('->', block.outputs)
      }
    }
  }
  visit(graph.nodes)
  listing.back('return', graph.outputs)
  return listing.lines
}

const random = (...shape: number[]): InputSpec => ({
  shape,
  dtype: 'float32',
  device: 'cpu',
  distribution: 'rand',
  requires_grad: false,
})

const { workbench, cache } = useWorkbench()
let project: string

beforeAll(async () => {
  project = copyProject(path.join(root, 'samples/warp_perspective'), cache)
  fs.writeFileSync(path.join(project, 'program.py'), `import torch\n${program}`)
  expect(unwrap(await workbench.builds.build(project)).ok).toBe(true)
})

async function capture(
  entry: keyof typeof printed,
  form: 'script' | 'trace',
  inputs: Record<string, InputSpec> = {},
): Promise<Graph> {
  const request = { entry, form, args: Object.keys(inputs), inputs }
  const report = unwrap(await workbench.graphs.capture(project, request, { timeout: 170 }))
  const read = unwrap(await workbench.graphs.read(report.capture, 0))
  return JSON.parse(read.graph) as Graph
}

describe("the tutorial's graphs, node for node", () => {
  it("the trace of matmul, relu and add equals the tutorial's", async () => {
    const inputs = { x: random(4, 8), y: random(8, 5), z: random(4, 5) }
    const graph = await capture('compute_traced', 'trace', inputs)
    expect(listGraph(graph)).toEqual(listPrinted(printed.compute_traced))
    expect(
      graph.inputs.map((value) => [value.name, value.tensor?.shape, value.tensor?.strides]),
    ).toEqual([
      ['x', [4, 8], [8, 1]],
      ['y', [8, 5], [5, 1]],
      ['z', [4, 5], [5, 1]],
    ])
  })

  it("the trace with the custom operator equals the tutorial's", async () => {
    const inputs = { x: random(8, 8), y: random(8, 5), z: random(8, 5) }
    const graph = await capture('compute_with_operator', 'trace', inputs)
    expect(listGraph(graph)).toEqual(listPrinted(printed.compute_with_operator))
  })

  it("the script graph with the branch on a pixel equals the tutorial's", async () => {
    expect(listGraph(await capture('compute', 'script'))).toEqual(listPrinted(printed.compute))
  })

  it("the script graph with the branch and the custom operator equals the tutorial's", async () => {
    const graph = await capture('compute_scripted', 'script')
    expect(listGraph(graph)).toEqual(listPrinted(printed.compute_scripted))
  })

  it('reading a listing gives all of its nodes', () => {
    expect(listPrinted(printed.compute)).toEqual([
      'aten::select(input 0, 0, 0)',
      'aten::select(line 0, 0, 0)',
      'aten::eq(line 1, 42)',
      'aten::Bool(line 2)',
      'prim::If(line 3)',
      '-> (5)',
      '-> (10)',
      'aten::matmul(input 0, input 1)',
      'aten::add(line 7, line 4, 1)',
      'return (line 8)',
    ])
  })
})
