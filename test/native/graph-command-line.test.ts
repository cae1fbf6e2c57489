import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { graph as graphShape } from '../../electron/contract/graph'
import type { CaptureReport, Graph, GraphNode } from '../../electron/contract/graph'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, cpuSamples, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

let cache: TestCache
let warp: string
const sample = (name: string): string => path.join(root, 'samples', name)

beforeAll(() => {
  cache = makeTestCache()
  warp = copyProject(sample('warp_perspective'), cache)
})
afterAll(() => {
  cache.remove()
})

const copies = new Map<string, string>()
/** One copy of a sample for all tests that change nothing in it. */
function copyOf(name: string): string {
  const folder = copies.get(name) ?? copyProject(sample(name), cache)
  copies.set(name, folder)
  return folder
}

const graphCommand = async (...args: string[]): Promise<Outcome> =>
  await runOpsmith(cache, 'graph', ...args)

type Printed = Graph & CaptureReport & { steps: { name: string; changes: string }[] }

async function graphJson(...args: string[]): Promise<Printed> {
  const { code, stdout, stderr } = await graphCommand(...args, '--format', 'json')
  if (code !== 0) throw new Error(stderr)
  const value = JSON.parse(stdout) as Printed
  graphShape.parse(value)
  return value
}

function flat(nodes: readonly GraphNode[]): GraphNode[] {
  return nodes.flatMap((node) => [
    node,
    ...(node.blocks ?? []).flatMap((block) => flat(block.nodes)),
  ])
}

describe('opsmith graph PROJECT', () => {
  const names = cpuSamples().map((folder) => [path.basename(folder)])
  it.each(names)(
    '--trace of %s gives the trace of the same function, with its custom operators',
    async (name) => {
      const graph = await graphJson(copyOf(name), '--trace')
      expect(graph.form).toBe('trace')
      expect(flat(graph.nodes).filter((node) => node.custom === true).length).toBeGreaterThan(0)
    },
  )

  it.each(names)(
    '%s gives the script graph of the function that opsmith.json calls',
    async (name) => {
      const manifest = await readManifest(sample(name))
      if (!manifest.ok) throw new Error(manifest.error.message)
      const graph = await graphJson(copyOf(name))
      const called = manifest.value.calls.map((call) => call.op)
      expect(called).toContain(graph.name)
      expect(graph.form).toBe('script')
      const custom = flat(graph.nodes).filter((node) => node.custom === true)
      expect(custom.length).toBeGreaterThan(0)
      for (const node of custom) expect(path.basename(node.source?.file ?? '')).toBe('program.py')
    },
  )

  it('--script gives the blocks of the branch, typed values and places in the program', async () => {
    const graph = await graphJson(warp, '--entry', 'compute', '--script')
    const nodes = flat(graph.nodes)
    expect(graph.inputs.map((value) => [value.name.split('.')[0], value.type])).toEqual([
      ['x', 'Tensor'],
      ['y', 'Tensor'],
    ])
    expect(graph.outputs).toEqual([nodes.at(-1)?.outputs[0]?.name])
    const branch = nodes.find((node) => node.kind === 'prim::If')
    expect(branch?.blocks?.map((block) => block.label)).toEqual(['then', 'else'])
    expect(branch?.source?.line).toBe(6)
    const warping = nodes.find((node) => node.kind === 'my_ops::warp_perspective')
    expect(warping).toMatchObject({ custom: true, source: { line: 10 } })
    expect(warping?.schema).toMatch(/^my_ops::warp_perspective\(/)
  })

  it('--trace gives types with shapes, the lost branch and the check on the other call', async () => {
    const graph = await graphJson(warp, '--trace')
    expect(graph.inputs[0]?.tensor).toEqual({
      dtype: 'float32',
      shape: [8, 8],
      strides: [8, 1],
      device: 'cpu',
      requiresGrad: false,
    })
    expect(flat(graph.nodes).some((node) => node.kind === 'prim::If')).toBe(false)
    const lost = graph.warnings.find((warning) => warning.kind === 'control-flow-lost')
    expect(lost?.source?.line).toBe(6)
    const marked = graph.checks.find((check) => check.inputs.includes('marked'))
    expect(marked?.matches).toBe(false)
    const seeds = graph.checks.find((check) => check.inputs.includes('seeds'))
    expect(seeds?.matches).toBe(true)
  })

  it('what a trace lost is printed on stderr with its place', async () => {
    const { code, stdout, stderr } = await graphCommand(warp, '--trace')
    expect(code).toBe(0)
    expect(stderr).toMatch(/program\.py:6:\d+: warning: .*\[control-flow-lost\]/)
    expect(stdout).toMatch(/^graph\(%x : Float\(8, 8, strides=\[8, 1\]/)
  })

  it("--autograd gives the graph from the output to the leaves, with the operator's node", async () => {
    const project = copyProject(sample('my_op'), cache)
    const graph = await graphJson(project, '--autograd')
    const kinds = graph.nodes.map((node) => node.kind)
    expect(kinds[0]).toMatch(/^Sum/)
    expect(kinds.filter((kind) => kind.includes('AccumulateGrad'))).toHaveLength(2)
    expect(graph.nodes.some((node) => node.custom === true)).toBe(true)
  })

  it('--executed and --observe give what ran, with time and bytes', async () => {
    expect((await graphJson(warp, '--executed')).form).toBe('executed')
    const { stdout } = await graphCommand(warp, '--trace', '--observe')
    expect(stdout).toMatch(/# run node by node.*median of \d+ runs/)
    expect(stdout).toMatch(/1x\s+256 B {2}my_ops::warp_perspective/)
  })

  it('--pass gives each step separately, with what it changed', async () => {
    const graph = await graphJson(
      warp,
      '--pass',
      'constant_propagation,dead_code',
      '--pass',
      'canonicalize',
    )
    const names = graph.steps.map((step) => step.name)
    expect(names.slice(1)).toEqual(['constant_propagation', 'dead_code', 'canonicalize'])
    // eye(3) is a constant by then.
    expect(flat(graph.nodes).some((node) => node.kind === 'aten::eye')).toBe(false)
    expect(graph.steps[1]?.changes).toMatch(/removed|changed/)
    expect(graph.steps[3]?.changes).toMatch(/no differences/)
  })

  it('--args gives the arguments of a call that opsmith.json does not have', async () => {
    const args = '["image", "warp"]'
    const graph = await graphJson(warp, '--entry', 'warp_reference', '--trace', '--args', args)
    expect(graph.inputs.map((value) => value.tensor?.shape)).toEqual([
      [32, 32],
      [3, 3],
    ])
  })

  it('--format writes dot and svg, and --output names the file', async () => {
    const dot = await graphCommand(warp, '--format', 'dot')
    expect(dot.stdout).toMatch(/^digraph "compute" \{[\s\S]*warp_perspective[\s\S]*\}\n$/)
    const file = path.join(cache.home, 'graph.svg')
    const svg = await graphCommand(warp, '--format', 'svg', '--output', file)
    expect([svg.code, svg.stdout]).toEqual([0, ''])
    expect(fs.readFileSync(file, 'utf8')).toMatch(/^<svg [\s\S]*warp_perspective[\s\S]*<\/svg>\n$/)
  })

  it('--diff exits with 0 for equal graphs, else with 1 and the differences', async () => {
    const file = path.join(cache.home, 'before.json')
    await graphCommand(warp, '--format', 'json', '--output', file)
    const same = await graphCommand(warp, '--diff', file)
    expect([same.code, same.stdout.includes('no differences')]).toEqual([0, true])
    const traced = await graphCommand(warp, '--trace', '--diff', file)
    expect(traced.code).toBe(1)
    expect(traced.stdout).toMatch(/^- .*prim::If/m)
    const json = await graphCommand(warp, '--trace', '--diff', file, '--format', 'json')
    const report = JSON.parse(json.stdout) as { same: boolean; removed: { kind: string }[] }
    expect(report.same).toBe(false)
    expect(report.removed.map((node) => node.kind)).toContain('prim::If')
    const picture = await graphCommand(warp, '--trace', '--diff', file, '--format', 'svg')
    expect(picture.stdout).toMatch(/^<svg /)
  })

  it('a change of one line of the program is one change in the graph', async () => {
    const file = path.join(cache.home, 'one-line.json')
    const changed = copyProject(sample('warp_perspective'), cache)
    await graphCommand(changed, '--format', 'json', '--output', file)
    const program = path.join(changed, 'program.py')
    fs.writeFileSync(program, fs.readFileSync(program, 'utf8').replace('z = 10', 'z = 11'))
    const { code, stdout } = await graphCommand(changed, '--diff', file, '--json')
    expect(code).toBe(1)
    const report = JSON.parse(stdout) as {
      counts: object
      changed: { kind: string; changes: string[] }[]
    }
    expect(report.counts).toMatchObject({ added: 0, removed: 0, changed: 1 })
    expect(report.changed[0]?.changes.join()).toMatch(/10 → 11/)
  })

  it('a project that does not compile exits with 1 and prints its diagnostics', async () => {
    const broken = copyProject(sample('my_op'), cache)
    fs.appendFileSync(path.join(broken, 'op.cpp'), '\nint broken( {\n')
    const { code, stderr } = await graphCommand(broken)
    expect(code).toBe(1)
    expect(stderr).toMatch(/op\.cpp:\d+:\d+: error:/)
  })
})

describe('opsmith graph FILE', () => {
  let saved: string
  beforeAll(async () => {
    saved = path.join(cache.home, 'compute_scripted.pt')
    const { code, stderr } = await graphCommand(warp, '--script', '--save', saved)
    expect(stderr).toContain(`${saved}: `)
    expect(code).toBe(0)
  })

  it('a .pt file gives the saved function, with the operators of its project', async () => {
    const graph = await graphJson(saved, '--project', warp)
    expect(graph.name).toBe('forward')
    const original = await graphJson(warp)
    const kinds = (one: Graph): string[] => flat(one.nodes).map((node) => node.kind)
    const working = (one: Graph): string[] => kinds(one).filter((kind) => kind !== 'prim::Constant')
    expect(working(graph)).toEqual(working(original))
    expect((await graphCommand(warp, '--diff', saved)).stdout).toContain('compute (script)')
  })

  it('a .pt file without its project lists the missing operators and what to do', async () => {
    const { code, stderr } = await graphCommand(saved)
    expect(code).toBe(2)
    expect(stderr).toContain('my_ops::warp_perspective')
    expect(stderr).toContain('--project')
    expect(stderr).not.toMatch(/Schema not found|Unknown builtin/)
  })

  it('a .pt2 file gives its graph, and a warning for operators that are not registered', async () => {
    const archive = path.join(root, 'test/cases/graphs/older.pt2')
    const graph = await graphJson(archive)
    expect(graph.form).toBe('export')
    const linear = flat(graph.nodes).find((node) => node.kind === 'aten::linear')
    expect(linear?.schema).toMatch(/^aten::linear\(Tensor input/)
    expect((await graphCommand(archive)).stdout).toContain('higher_order::cond')
    const trace = await graphCommand(archive, '--trace')
    expect([trace.code, trace.stderr]).toEqual([
      2,
      expect.stringContaining('--trace needs a function that can run, but'),
    ])
  })

  it('a .json file that --format json wrote is read', async () => {
    const file = path.join(cache.home, 'written.json')
    await graphCommand(warp, '--format', 'json', '--output', file)
    const again = await graphJson(file)
    const original = graphShape.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
    const bare = (nodes: readonly GraphNode[]): unknown[] =>
      flat(nodes).map(({ id, kind, inputs, outputs, attributes, source }) => ({
        id,
        kind,
        inputs,
        outputs,
        attributes,
        source,
      }))
    expect(bare(again.nodes)).toEqual(bare(original.nodes))
  })
})

describe('opsmith graph --timeout', () => {
  it('a capture that takes longer than the limit ends with an error that names the limit', async () => {
    const slow = copyProject(sample('my_op'), cache)
    const program =
      'def forever(x):\n    while bool(x.sum() * 0 == 0):\n        x = x + 1\n    return x\n'
    fs.writeFileSync(path.join(slow, 'program.py'), program)
    const asked = ['--entry', 'forever', '--autograd', '--args', '["x"]', '--timeout', '5']
    const { code, stderr } = await graphCommand(slow, ...asked)
    expect(stderr).toMatch(/No result within the limit of 5 s \(capture forever\)/)
    expect(code).toBe(2)
  })
})

describe('opsmith graph with bad input', () => {
  it.each([
    ['an unknown entry', ['--entry', 'nothing'], /no function nothing[\s\S]*compute/],
    ['an unknown pass', ['--pass', 'nonsense'], /no pass "nonsense"[\s\S]*inline/],
    ['an unknown format', ['--format', 'pdf'], /no format "pdf"[\s\S]*svg/],
    ['a form without arguments', ['--entry', 'pixel', '--trace'], /pixel[\s\S]*opsmith\.json/],
    ['arguments that are no list', ['--trace', '--args', '{'], /--args must be a JSON list/],
    ['too few arguments', ['--trace', '--args', '["x"]'], /argument y/],
    ['two forms', ['--script', '--trace'], /Give only one of --script and --trace/],
    [
      'times in a picture',
      ['--trace', '--observe', '--format', 'svg'],
      /format svg cannot show the results of --observe/,
    ],
    [
      'times of two graphs',
      ['--trace', '--observe', '--diff', 'x.json'],
      /--observe and --diff cannot be given together/,
    ],
    ['a limit that is none', ['--timeout', '0'], /--timeout must be a number above 0/],
    [
      'a file to compare that is not there',
      ['--diff', '/no/such.json'],
      /\/no\/such\.json does not exist/,
    ],
    ['an autograd graph of what needs no gradient', ['--autograd'], /requires.grad/],
    ['the script of an operator', ['--entry', 'my_ops::add'], /is an operator/],
  ])(
    '%s gets exit code 2 and one sentence that states what to do',
    async (_name, args, expected) => {
      const { code, stdout, stderr } = await graphCommand(warp, ...args)
      expect(stderr).toMatch(expected)
      expect(stderr).not.toMatch(/\n\s+at /)
      expect([code, stdout]).toEqual([2, ''])
    },
  )

  it('a file that is no model and a file that does not exist are refused', async () => {
    for (const [name, expected] of [
      [path.join(warp, 'op.cpp'), /is not a TorchScript archive/],
      ['/no/such/model.pt', /\/no\/such\/model\.pt does not exist/],
      [cache.home, /opsmith\.json/],
    ] as const) {
      const { code, stderr } = await graphCommand(name)
      expect(stderr).toMatch(expected)
      expect(code).toBe(2)
    }
  })

  it('--json prints the error as JSON on stdout', async () => {
    const { code, stdout } = await graphCommand(warp, '--entry', 'nothing', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'operator.unknown' } })
  })
})
