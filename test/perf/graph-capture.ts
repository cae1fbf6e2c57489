import fs from 'node:fs'
import path from 'node:path'

import { inputSpec } from '../../electron/contract/manifest'
import { loadAddon } from '../native/fixture'
import { makeTestCache } from '../support/installation'
import { askPython } from '../support/python'
import { dagProgram, resnetProgram, transformerProgram } from './graph-programs'
import type { GraphProgram } from './graph-programs'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const rounds = 5

/** Seconds of torch.jit.script or trace and of printing the graph, in one Python process. */
const peer = `
import json, sys, time, importlib.util, torch
file, entry, form, shape, rounds = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), int(sys.argv[5])
source = open(file).read()
seconds = []
for round in range(rounds):
    started = time.perf_counter()
    if form == "script":
        unit = torch.jit.CompilationUnit(source.replace("import torch\\n", ""))
        graph = getattr(unit, entry).graph
    else:
        spec = importlib.util.spec_from_file_location("program", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        graph = torch.jit.trace(getattr(module, entry), (torch.ones(shape),), check_trace=False).graph
    text = str(graph)
    seconds.append(time.perf_counter() - started)
print(json.dumps(seconds))
`

async function ask(folder: string, program: GraphProgram, form: string): Promise<number[]> {
  const file = path.join(folder, `${program.entry}.py`)
  fs.writeFileSync(file, program.source)
  const args = [file, program.entry, form, JSON.stringify(program.shape), String(rounds)]
  return (await askPython(peer, args)) as number[]
}

/**
 * From program text to a graph that can be shown (JSON) and read (text), beside Python's compiler or
 * tracer and `str(graph)`.
 */
export async function runCapture(options: BenchmarkOptions): Promise<Row[]> {
  const addon = loadAddon()
  const cache = makeTestCache()
  const rows: Row[] = []
  try {
    for (const [program, form] of [
      [resnetProgram(), 'script'],
      [resnetProgram(), 'trace'],
      [transformerProgram(), 'trace'],
      [dagProgram(1_000), 'script'],
      [dagProgram(10_000), 'script'],
      [dagProgram(100_000), 'script'],
    ] as const) {
      options.say(`${form} of ${program.name}`)
      let nodes = 0
      const seconds = await sample(rounds, async (round) => {
        const report = await addon.call('graph.capture', {
          entry: program.entry,
          form,
          args: form === 'trace' ? ['x'] : [],
          inputs: { x: inputSpec.parse({ shape: program.shape, distribution: 'ones' }) },
          passes: [],
          checks: [],
          // Compiled programs are kept by their text: each round must be a new one.
          program: { file: 'program.py', source: `${program.source}# ${round}\n` },
        })
        await addon.call('graph.read', { capture: report.capture, step: 0 })
        nodes = report.steps[0]?.nodes ?? 0
        await addon.call('graph.release', { captures: [report.capture] })
      })
      const samples = await ask(cache.home, program, form)
      const name =
        form === 'script' ? 'torch.jit compiler, str(graph)' : 'torch.jit.trace, str(graph)'
      rows.push(
        row(`capture ${form}: ${program.name}, ${nodes} nodes`, 's', seconds, { name, samples }),
      )
    }
    return rows
  } finally {
    cache.remove()
  }
}
