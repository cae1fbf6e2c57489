import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { beforeAll, describe, expect, it } from 'vitest'

import type { Graph, GraphArchive, GraphNode } from '../../electron/contract/graph'
import { unwrap } from '../../electron/contract/outcome'
import { copyProject, root } from '../support/installation'
import { askPython, python } from '../support/python'
import { useWorkbench } from '../support/workbench'

const limits = { timeout: 60 }
const { workbench, cache } = useWorkbench()
let project: string
let library: string
let models: string
/** What Python says of the programs it exported. */
let facts: Record<string, { targets: string[]; inputs: string[] }>

beforeAll(async () => {
  project = copyProject(path.join(root, 'samples/warp_perspective'), cache)
  const build = unwrap(await workbench.builds.build(project))
  expect(build.ok).toBe(true)
  library = build.library
  models = path.join(cache.home, 'models')
  fs.mkdirSync(models)
  const script = path.join(root, 'test/cases/graphs/export_models.py')
  const { stdout } = await promisify(execFile)(python, [script, models])
  facts = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof facts
})

const model = (name: string): string => path.join(models, name)
const open = async (name: string): Promise<GraphArchive> =>
  unwrap(await workbench.graphs.openFile('', model(name), limits))

async function exported(name: string, entry = 'forward'): Promise<{ graph: Graph; text: string }> {
  const read = unwrap(await workbench.graphs.readFile(model(name), entry))
  return { graph: JSON.parse(read.graph) as Graph, text: read.text }
}

/** "aten.add.Tensor" of FX for a node of ours; its schema names the overload. */
function target(node: GraphNode): string {
  const [namespace = '', name = ''] = node.kind.split('::')
  if (namespace === 'higher_order') return name
  if (namespace === '_operator') return `<built-in function ${name}>`
  const overload = /^[^(]*?::[^(.]+\.?([^(]*)\(/.exec(node.schema ?? '')?.[1] ?? ''
  return `${namespace}.${name}.${overload === '' ? 'default' : overload}`
}

describe('torch.export archives made by Python', () => {
  it.each([
    ['network.pt2', 'network'],
    ['older.pt2', 'network'],
    ['loops.pt2', 'loops'],
  ])('%s has the operators and inputs that Python lists', async (file, name) => {
    const archive = await open(file)
    expect(archive).toMatchObject({ kind: 'export', missing: [] })
    expect(archive.entries.map((entry) => entry.name)).toEqual(['forward'])
    const { graph, text } = await exported(file)
    expect(graph.inputs.map((value) => value.name)).toEqual(facts[name]?.inputs)
    const nodes = graph.nodes.filter((node) => node.kind !== 'prim::Constant')
    expect(nodes.map(target)).toEqual(facts[name]?.targets)
    expect(text.split('\n').length).toBeGreaterThan(nodes.length)
  })

  it('both layouts of one program give the same graph', async () => {
    expect((await exported('older.pt2')).text).toBe((await exported('network.pt2')).text)
  })

  it('loops have their conditions and bodies as blocks', async () => {
    const { graph } = await exported('loops.pt2')
    const blocks = graph.nodes.flatMap((node) => node.blocks?.map((block) => block.label) ?? [])
    expect(blocks).toEqual(['combine', 'cond', 'body'])
  })

  it('missing operators of a Python library are named', async () => {
    const archive = await open('foreign.pt2')
    expect(archive.missing).toEqual(['elsewhere::twice'])
    const { graph } = await exported('foreign.pt2')
    expect(graph.nodes[0]).toMatchObject({ kind: 'elsewhere::twice', custom: true })
  })

  it('an archive of two models has two entries', async () => {
    expect((await open('two.pt2')).entries.map((entry) => entry.name).sort()).toEqual([
      'encoder',
      'head',
    ])
    expect((await exported('two.pt2', 'head')).graph.name).toBe('head')
  })

  it('a file of weights alone is refused with a sentence that explains it', async () => {
    const answer = await workbench.graphs.openFile('', model('weights.pt'), limits)
    expect(answer.ok ? '' : answer.error.message).toMatch(
      /torch\.save, so the file contains tensors, but no graph/,
    )
  })
})

describe('TorchScript archives', () => {
  it.each(['script', 'trace'] as const)('Python loads and runs a saved %s', async (form) => {
    const captured = unwrap(
      await workbench.graphs.capture(project, { entry: 'compute', form }, limits),
    )
    const file = path.join(models, workbench.graphs.archiveName(captured.capture))
    unwrap(await workbench.graphs.save(captured.capture, file))
    const answer = (await askPython(
      `
import json, sys, torch
torch.ops.load_library(sys.argv[1])
module = torch.jit.load(sys.argv[2])
x, y = torch.randn(8, 8), torch.randn(8, 5)
expected = torch.ops.my_ops.warp_perspective(x, torch.eye(3)).matmul(y) + 10
same = torch.allclose(module(x, y), expected)
marked = torch.full((8, 8), 42.0)
branch = torch.allclose(module(marked, y), torch.ops.my_ops.warp_perspective(marked, torch.eye(3)).matmul(y) + 5)
print(json.dumps({"same": same, "branch": branch}))`,
      [library, file],
    )) as { same: boolean; branch: boolean }
    // A trace keeps the one way through the branch that it was made on.
    expect(answer).toEqual({ same: true, branch: form === 'script' })
  })

  it("the methods and submodules of a module that Python saved are entries, with Python's graph", async () => {
    const file = model('module.pt')
    const theirs = (await askPython(
      `
import json, sys, torch
source = """
import torch
class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)
    def forward(self, x):
        return torch.relu(self.fc(x))
class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([Inner(), Inner()])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
    @torch.jit.export
    def twice(self, x):
        return self.forward(self.forward(x))
"""
path = sys.argv[1] + ".py"
open(path, "w").write(source)
import importlib.util
spec = importlib.util.spec_from_file_location("module", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
scripted = torch.jit.script(module.Outer())
scripted.save(sys.argv[1])
graph = scripted.inlined_graph
print(json.dumps({"kinds": [node.kind() for node in graph.nodes()]}))`,
      [file],
    )) as { kinds: string[] }
    const archive = await open('module.pt')
    const names = archive.entries.map((entry) => entry.name)
    expect(names[0]).toBe('forward')
    expect(names).toEqual(
      expect.arrayContaining(['twice', 'layers.0.forward', 'layers.1.fc.forward']),
    )
    const request = { entry: 'forward', form: 'script' as const, file, passes: ['inline' as const] }
    const captured = unwrap(await workbench.graphs.capture('', request, limits))
    const { graph } = unwrap(await workbench.graphs.read(captured.capture, 1))
    const kinds = (JSON.parse(graph) as Graph).nodes.map((node) => node.kind)
    const working = (all: readonly string[]): string[] =>
      all.filter((kind) => !['prim::Constant', 'prim::GetAttr'].includes(kind))
    expect(working(kinds)).toEqual(working(theirs.kinds))
    expect(working(kinds)).toContain('aten::linear')
  })
})
