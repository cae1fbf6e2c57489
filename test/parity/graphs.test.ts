import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { GraphForm } from '../../electron/contract/graph'
import type { HostInput } from '../../electron/contract/host-calls'
import type { Argument, Manifest } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, cpuSamples, root } from '../support/installation'
import { askPython, makeInputsInPython } from '../support/python'
import { useWorkbench } from '../support/workbench'

/**
 * Each case is one graph as libtorch prints it, ours beside that of Python's torch.jit.script or
 * torch.jit.trace, both after _jit_pass_canonicalize, places in sources left out. Python compiles
 * all of them in one process, our side in one op host.
 */
interface Case {
  name: string
  file: string
  entry: string
  form: Extract<GraphForm, 'script' | 'trace'>
  args: Argument[]
  inputs: Manifest['inputs']
  library: string
}

const limits = { timeout: 60 }
const programs = ['control_flow', 'containers', 'texts'].map((name) =>
  path.join(root, 'test/cases/graphs', `${name}.py`),
)
const tracedProgram = path.join(root, 'test/cases/graphs/traced.py')
const inputDefaults = { device: 'cpu', distribution: 'randn', requires_grad: false } as const
const tracedInputs: Manifest['inputs'] = {
  x: { ...inputDefaults, dtype: 'float32', shape: [3, 4], seed: 1 },
  y: { ...inputDefaults, dtype: 'float32', shape: [4], seed: 2 },
  k: { ...inputDefaults, dtype: 'int64', values: [0, 2, 1] },
}
const samples = cpuSamples()

/** Prints by case {graph} or {error}. */
const script = `
import importlib.util, json, sys
${makeInputsInPython}
torch.set_num_threads(1)
modules, answers = {}, {}
with open(sys.argv[1]) as file:
    cases = json.load(file)
for case in cases:
    try:
        if case["library"]:
            torch.ops.load_library(case["library"])
        if case["file"] not in modules:
            spec = importlib.util.spec_from_file_location("program", case["file"])
            modules[case["file"]] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(modules[case["file"]])
        function = getattr(modules[case["file"]], case["entry"])
        if case["form"] == "script":
            graph = torch.jit.script(function).graph.copy()
        else:
            tensors = make_inputs(case["inputs"])
            args = tuple(tensors.get(a, a) if isinstance(a, str) else a for a in case["args"])
            graph = torch.jit.trace(function, args, check_trace=False).graph.copy()
        graph = torch._C._jit_pass_canonicalize(graph, False)
        answers[case["name"]] = {"graph": graph.str(False)}
    except Exception as error:
        answers[case["name"]] = {"error": str(error)}
print(json.dumps(answers))
`

const { workbench, cache } = useWorkbench()
const cases = new Map<string, Case>()
const folders = new Map<string, string>()
let python: Record<string, { graph?: string; error?: string }> = {}

/** Names of the functions of a program that take these parameters, any for "", in order. */
function functionsIn(file: string, parameters = ''): string[] {
  return [...fs.readFileSync(file, 'utf8').matchAll(/^def (\w+)\(([^)]*)/gm)]
    .filter((match) => parameters === '' || match[2] === parameters)
    .map((match) => match[1] ?? '')
}

const scripted = programs.flatMap((file) =>
  functionsIn(file).map((entry) => ({
    name: `${path.basename(file, '.py')}: ${entry}`,
    file,
    entry,
  })),
)
/** Those that take the inputs; others are their helpers. */
const traced = functionsIn(tracedProgram, 'x: Tensor, y: Tensor, k: Tensor').map((entry) => ({
  name: `traced: ${entry}`,
  entry,
}))
/** Functions of each sample's program; those that its opsmith.json calls are traced too. */
const sampled = await Promise.all(
  samples.map(async (folder) => {
    const manifest = unwrap(await readManifest(folder))
    const functions = functionsIn(path.join(folder, manifest.program ?? ''))
    const entries = functions.flatMap((entry) => {
      const isCalled = manifest.calls.some((call) => call.op === entry)
      const forms = isCalled ? (['script', 'trace'] as const) : (['script'] as const)
      return forms.map((form) => ({ entry, form }))
    })
    return { folder, sample: path.basename(folder), manifest, entries }
  }),
)
const sampleCases = sampled.flatMap(({ sample, entries }) =>
  entries.map(({ entry, form }) => ({ name: `${sample}: ${form} of ${entry}` })),
)

beforeAll(async () => {
  for (const { name, file, entry } of scripted) {
    cases.set(name, { name, file, entry, form: 'script', args: [], inputs: {}, library: '' })
  }
  for (const { name, entry } of traced) {
    cases.set(name, {
      name,
      file: tracedProgram,
      entry,
      form: 'trace',
      args: Object.keys(tracedInputs),
      inputs: tracedInputs,
      library: '',
    })
  }
  for (const { folder, sample, manifest, entries } of sampled) {
    const copy = copyProject(folder, cache)
    folders.set(sample, copy)
    const build = unwrap(await workbench.builds.build(copy))
    if (!build.ok) throw new Error(`${sample} does not build`)
    const file = path.join(copy, manifest.program ?? '')
    const { inputs } = manifest
    const { library } = build
    for (const { entry, form } of entries) {
      const name = `${sample}: ${form} of ${entry}`
      const args = manifest.calls.find((call) => call.op === entry)?.args ?? []
      cases.set(name, { name, file, entry, form, args, inputs, library })
    }
  }
  const asked = path.join(cache.home, 'cases.json')
  fs.writeFileSync(asked, JSON.stringify([...cases.values()]))
  python = (await askPython(script, [asked])) as typeof python
})

/**
 * A printed graph without places in sources, its constants in the order of their values and its
 * values numbered in the order they appear. The compiler collects constants at the top of the graph
 * in whatever order it came across them, which differs with how a parser reads "-1"; nothing
 * depends on it, and _jit_pass_canonicalize leaves it as it is.
 */
function canonical(text: string): string {
  const lines = text
    .replaceAll(/ # \S*:\d+:\d+$/gm, '')
    .trimEnd()
    .split('\n')
  const isConstant = (line: string | undefined): boolean =>
    /^ *%\S+ : .* = prim::Constant\W/.test(line ?? '')
  const valueOf = (line: string): string => line.slice(line.indexOf(' : '))
  for (let start = 0; start < lines.length; start += 1) {
    let end = start
    while (isConstant(lines[end])) end += 1
    const run = lines.slice(start, end)
    run.sort((a, b) => (valueOf(a) < valueOf(b) ? -1 : valueOf(a) > valueOf(b) ? 1 : 0))
    lines.splice(start, run.length, ...run)
    start = end
  }
  const numbers = new Map<string, number>()
  return lines.join('\n').replaceAll(/"(?:[^"\\]|\\.)*"|%[\w.]+/g, (part) => {
    if (part.startsWith('"')) return part
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return `%${number}`
  })
}

async function textOf(capture: number): Promise<string> {
  return canonical(unwrap(await workbench.graphs.read(capture, 1)).text)
}

/** The same of a capture made in the op host directly. */
async function capturedText(capture: number): Promise<string> {
  const read = await workbench.hosts.call(
    'graph.read',
    { capture, step: 1 },
    { ...limits, phase: '' },
  )
  return canonical(unwrap(read).text)
}

function theirs(name: string): string {
  const answer = python[name]
  if (answer?.graph === undefined) throw new Error(`Python: ${answer?.error ?? 'no answer'}`)
  return canonical(answer.graph)
}

describe('script graphs', () => {
  it('there are at least twenty scripted functions', () => {
    expect(scripted.length).toBeGreaterThanOrEqual(20)
  })

  it.each(scripted)(
    'the script graph of $name equals that of torch.jit.script',
    async ({ name, file, entry }) => {
      const request: HostInput<'graph.capture'> = {
        entry,
        form: 'script',
        passes: ['canonicalize'],
        program: { file, source: fs.readFileSync(file, 'utf8') },
      }
      const report = unwrap(
        await workbench.hosts.call('graph.capture', request, { ...limits, phase: 'capture' }),
      )
      expect(await capturedText(report.capture)).toBe(theirs(name))
    },
  )
})

describe('traced graphs', () => {
  it.each(traced)('the trace of $name equals that of torch.jit.trace', async ({ name, entry }) => {
    const report = await workbench.hosts.call(
      'graph.capture',
      {
        entry,
        form: 'trace',
        passes: ['canonicalize'],
        program: { file: tracedProgram, source: fs.readFileSync(tracedProgram, 'utf8') },
        args: Object.keys(tracedInputs),
        inputs: tracedInputs,
      },
      { ...limits, phase: 'capture' },
    )
    expect(await capturedText(unwrap(report).capture)).toBe(theirs(name))
  })
})

describe("graphs of the samples' programs", () => {
  it.each(sampleCases)('the graphs of $name equal those that Python gives', async ({ name }) => {
    const one = cases.get(name)
    if (!one) throw new Error('no such case')
    const folder = folders.get(name.split(':')[0] ?? '') ?? ''
    const report = await workbench.graphs.capture(
      folder,
      { entry: one.entry, form: one.form, args: one.args, passes: ['canonicalize'] },
      limits,
    )
    const answer = python[name]
    if (answer?.error !== undefined) {
      // Python's tracer refuses methods of custom classes that are made on the way; the call that
      // interprets TorchScript needs not, and then the trace must give what the function gives.
      expect(answer.error).toContain('is not part of the active trace')
      if (report.ok) expect(report.value.checks.map((check) => check.matches)).not.toContain(false)
      else expect(report.error.message).toContain('is not part of the active trace')
      return
    }
    expect(await textOf(unwrap(report).capture)).toBe(theirs(name))
  })
})
