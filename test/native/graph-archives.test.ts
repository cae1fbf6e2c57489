import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { CaptureReport, Graph, GraphForm, GraphPass } from '../../electron/contract/graph'
import { unwrap } from '../../electron/contract/outcome'
import { buildModel } from '../../graph/build-model'
import { diffGraphs } from '../../graph/diff/diff-graphs'
import type { GraphModel } from '../../graph/model'
import { startForkedHost } from '../../electron/engine/host/transport'
import { windowOptions, Workbench } from '../../electron/engine/workbench'
import { makeTestCache, testInstallation } from '../support/installation'
import { askPython } from '../support/python'
import { useWorkbench } from '../support/workbench'

/** Modules whose graphs depend on what the module holds, as torch.jit.script saves them. */
const modules = `
import torch
from torch import nn

class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))
        self.bias = nn.Parameter(torch.full((8,), 3.0))
        self.label = "eight"
        self.calls: int = 0
        self.last = torch.zeros(8)

    def forward(self, x):
        self.calls += 1
        self.last = x[0] * 2
        return x * self.weight + self.calls + self.bias + self.last

class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.normal = nn.BatchNorm1d(8)

    def forward(self, x):
        if x.dim() == 2:
            x = torch.relu(self.linear(x))
        return self.normal(x)

def save(folder):
    torch.manual_seed(0)
    torch.jit.script(Counter()).save(folder + "/counter.pt")
    network = torch.jit.script(Network())
    network.save(folder + "/network.pt")
    with torch.no_grad():
        network.linear.weight[7, 7] += 1e-3
    network.save(folder + "/retrained.pt")
`

const { workbench, cache } = useWorkbench()
let folder: string
const limits = { timeout: 170 }
const x = { shape: [4, 8], distribution: 'randn' as const, seed: 1 }

const model = (name: string): string => path.join(folder, name)

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(cache.home, 'models-'))
  // The compiler reads the classes' source from their file.
  fs.writeFileSync(model('modules_of_test.py'), modules)
  const save = `
import json, sys
sys.path.insert(0, sys.argv[1])
import modules_of_test
print(json.dumps(modules_of_test.save(sys.argv[1])))
`
  await askPython(save, [folder])
})

async function capture(
  name: string,
  form: GraphForm,
  passes: GraphPass[] = [],
): Promise<CaptureReport> {
  const request = { entry: 'forward', form, file: model(name), args: ['x'], inputs: { x }, passes }
  return unwrap(await workbench.graphs.capture('', request, limits))
}

async function lastGraph(report: CaptureReport): Promise<Graph> {
  const read = await workbench.graphs.read(report.capture, report.steps.length - 1)
  return JSON.parse(unwrap(read).graph) as Graph
}

describe('methods of saved modules', () => {
  it('a frozen graph runs on the frozen module', async () => {
    const report = await capture('counter.pt', 'script', ['freeze'])
    const observed = unwrap(await workbench.graphs.observe(report.capture, 1, 2, limits))
    const graph = await lastGraph(report)
    const seen = observed.nodes.filter((node) => graph.nodes[node.id]?.kind === 'aten::add')
    expect(seen.at(-1)?.values[0]).toMatchObject({ shape: [4, 8], nan: 0 })
  })

  it('two frozen models with one different weight differ at that weight only', async () => {
    const frozen = async (name: string): Promise<GraphModel> =>
      buildModel(await lastGraph(await capture(name, 'script', ['freeze'])))
    const before = await frozen('network.pt')
    expect(diffGraphs(before, await frozen('network.pt')).summary).toMatch(/^no differences/)
    const after = await frozen('retrained.pt')
    const { nodes, counts } = diffGraphs(before, after)
    expect([counts.added, counts.removed]).toEqual([0, 0])
    const changes = nodes.flatMap((node) => (node.changes.length > 0 ? [node.changes.join()] : []))
    expect(changes.filter((change) => change.startsWith('input'))).toEqual([
      expect.stringMatching(/^input weight: float32\[8, 8\] #\w{16} → float32\[8, 8\] #\w{16}$/),
    ])
  })

  it('running a graph leaves the module as it was captured', async () => {
    const report = await capture('counter.pt', 'script')
    unwrap(await workbench.graphs.observe(report.capture, 0, 3, limits))
    unwrap(await workbench.graphs.save(report.capture, model('after.pt')))
    const calls = `import json, sys, torch; print(json.dumps(torch.jit.load(sys.argv[1]).calls))`
    expect(await askPython(calls, [model('after.pt')])).toBe(0)
  })

  it('a saved trace has the trace and what it needs of the module', async () => {
    const report = await capture('network.pt', 'trace')
    unwrap(await workbench.graphs.save(report.capture, model('traced.pt')))
    const compare = `
import json, sys, torch
network, traced = (torch.jit.load(file) for file in sys.argv[1:])
x = torch.randn(3, 8)
print(json.dumps({
    "branches": "prim::If" in str(traced.inlined_graph),
    "same": torch.allclose(network.train()(x), traced(x)),
}))
`
    const answer = await askPython(compare, [model('network.pt'), model('traced.pt')])
    expect(answer).toEqual({ branches: false, same: true })
  })

  it('an executed graph keeps the functions that it falls back to', async () => {
    const report = await capture('network.pt', 'executed', ['inline'])
    expect((await lastGraph(report)).nodes.length).toBeGreaterThan(0)
    const observed = await workbench.graphs.observe(report.capture, 1, 1, limits)
    expect(unwrap(observed).seconds).toBeGreaterThan(0)
  })
})

it('in restricted mode a TorchScript archive is refused before an op host is started', async () => {
  const own = makeTestCache()
  const restricted = new Workbench(testInstallation(own), startForkedHost, {}, windowOptions)
  try {
    await restricted.projects.trust.decide(folder, 'restricted')
    const opened = await restricted.graphs.openFile(folder, model('counter.pt'), limits)
    expect(opened).toMatchObject({ ok: false, error: { code: 'project.restricted' } })
    expect(restricted.hosts.state()).toMatchObject({ generation: 0, pid: 0 })
  } finally {
    await restricted.close()
    own.remove()
  }
})
