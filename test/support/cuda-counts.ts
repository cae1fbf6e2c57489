/** Counted runs of CUDA programs. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import type { GpuCounts, GpuCountSums } from '../../electron/contract/gpu-counts'
import { unwrap } from '../../electron/contract/outcome'
import { readGpuCounts } from '../../electron/engine/virtual-gpu/read-counts'
import type { Workbench } from '../../electron/engine/workbench'
import { root } from './installation'

const run = promisify(execFile)

/** Compiles, runs and counts one program. */
export async function countCuda(workbench: Workbench, source: string): Promise<GpuCounts> {
  const program = {
    sources: [source],
    includeFolders: [],
    defines: [],
    libraries: [],
    isChecked: false,
    isCounted: true,
  }
  const built = unwrap(await workbench.gpuPrograms.build(program, undefined, () => undefined))
  if (built.executable === '') throw new Error(JSON.stringify(built.diagnostics))
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-counts-'))
  const file = path.join(folder, 'counts.json')
  try {
    await run(built.executable, [], { env: { ...process.env, OPSMITH_GPU_COUNTS: file } })
    return unwrap(await readGpuCounts(file, root))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Counts of a kernel's lines by the names that `// line: NAME` gives them. */
export function namedLines(
  counts: GpuCounts,
  kernel: string,
  source: string,
): ReadonlyMap<string, GpuCountSums> {
  const texts = fs.readFileSync(source, 'utf8').split('\n')
  const found = counts.kernels.find((one) => one.kernel === kernel)
  if (!found) throw new Error(`no kernel ${kernel}`)
  return new Map(
    found.lines.flatMap(({ place, ...sums }) => {
      if (place.file !== source) throw new Error(`a line of ${place.file}`)
      const name = /\/\/ line: (.+)$/.exec(texts[place.line - 1] ?? '')?.[1]?.trim()
      return name === undefined ? [] : [[name, sums] as const]
    }),
  )
}
