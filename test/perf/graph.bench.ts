import { runCapture } from './graph-capture'
import { runLayouts } from './graph-layout'
import { runWindow } from './graph-window'
import type { BenchmarkOptions, Row } from './measure'

/** Parts of the benchmark, each with its own graphs and peers. */
const parts: Record<string, (options: BenchmarkOptions) => Promise<Row[]>> = {
  capture: runCapture,
  layout: runLayouts,
  window: runWindow,
}

/** OPSMITH_PERF_GRAPH=layout,window measures only those parts. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const only = (process.env['OPSMITH_PERF_GRAPH'] ?? '').split(',').filter((name) => name !== '')
  const rows: Row[] = []
  for (const [name, measure] of Object.entries(parts))
    if (only.length === 0 || only.includes(name)) rows.push(...(await measure(options)))
  return rows
}
