/** CUDA programs of test/cases/cuda on the virtual GPU. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import type { GpuFinding, GpuReport } from '../../electron/contract/gpu-findings'
import { unwrap } from '../../electron/contract/outcome'
import { readGpuReport } from '../../electron/engine/virtual-gpu/read-report'
import type { Workbench } from '../../electron/engine/workbench'
import { root } from './installation'

const run = promisify(execFile)

export const cudaCases = path.join(root, 'test/cases/cuda')

export function casesIn(folder: string): string[] {
  return fs
    .readdirSync(path.join(cudaCases, folder))
    .filter((file) => file.endsWith('.cu'))
    .map((file) => path.basename(file, '.cu'))
}

export interface CudaRun {
  /** "" where a source does not compile. */
  executable: string
  diagnostics: Diagnostic[]
  exitCode: number
  stdout: string
  /** Of a checked run. */
  report?: GpuReport
}

/** Compiles and runs one program of one or more sources. */
export async function runCuda(
  workbench: Workbench,
  sources: readonly string[],
  isChecked: boolean,
  { includeFolders = [], seed = '' }: { includeFolders?: readonly string[]; seed?: string } = {},
): Promise<CudaRun> {
  const program = { sources, includeFolders, defines: [], libraries: [], isChecked }
  const built = unwrap(await workbench.gpuPrograms.build(program, undefined, () => undefined))
  const { executable } = built
  const diagnostics = built.diagnostics.filter(({ severity }) => severity === 'error')
  if (executable === '') return { executable, diagnostics, exitCode: 2, stdout: '' }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-cuda-'))
  const file = path.join(folder, 'report.json')
  try {
    const ended = await run(executable, [], {
      cwd: folder,
      timeout: 300_000,
      env: { ...process.env, OPSMITH_GPU_REPORT: file, OPSMITH_GPU_SEED: seed },
    }).then(
      ({ stdout }) => ({ stdout, exitCode: 0 }),
      (error: { code?: number; stdout?: string }) => ({
        stdout: error.stdout ?? '',
        exitCode: error.code ?? -1,
      }),
    )
    const report = isChecked ? { report: unwrap(await readGpuReport(file, root)) } : {}
    return { executable, diagnostics, ...ended, ...report }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** `out-of-bounds at line 12`: what tests compare and people read. */
export function findingText({ check, place, other }: GpuFinding): string {
  const more = other && other.line > 0 ? `, with line ${other.line}` : ''
  return `${check} at line ${place.line}${more}`
}
