import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { z } from 'zod'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { probeLimits, runProcess } from '../toolchain/run-command'

/** An extension as setup.py describes it to setuptools. */
export const recordedExtension = z.object({
  name: z.string(),
  /** The class: CppExtension, CUDAExtension, Extension, … */
  kind: z.string(),
  /** 1-based line of setup.py that makes it; 0 where that is unknown. */
  line: z.number(),
  sources: z.array(z.string()),
  includeDirs: z.array(z.string()),
  /** Name and value; null for a macro without a value. */
  macros: z.array(z.tuple([z.string(), z.string().nullable()])),
  undefined: z.array(z.string()),
  /** By compiler: cxx, nvcc; `all` where setup.py gives one list. */
  flags: z.record(z.string(), z.array(z.string())),
  libraries: z.array(z.string()),
  libraryDirs: z.array(z.string()),
  runtimeLibraryDirs: z.array(z.string()),
  linkFlags: z.array(z.string()),
  extraObjects: z.array(z.string()),
  limitedApi: z.boolean(),
  language: z.string(),
  deviceLink: z.boolean(),
})
export type RecordedExtension = z.infer<typeof recordedExtension>

const recordedRun = z.object({
  /** Why setup.py ended early; the extensions before that count. */
  error: z
    .object({
      message: z.string(),
      file: z.string(),
      line: z.number(),
      missingModule: z.string().nullable(),
    })
    .nullable(),
  /** Modules that this Python does not have, and that were replaced. */
  standIns: z.array(z.string()),
  setup: z.object({ line: z.number(), name: z.string(), version: z.string() }),
  extensions: z.array(recordedExtension),
  /** Environment variables that setup.py reads and that are not set. */
  environment: z.array(z.object({ name: z.string(), line: z.number() })),
})
export type RecordedRun = z.infer<typeof recordedRun>

/** setup.py run twice: torch.cuda.is_available() is false, then true. */
export interface RecordedSetup {
  cpu: RecordedRun
  cuda: RecordedRun
}

/** Some setup.py ask git or download something. */
const limits = { ...probeLimits, seconds: 120 }

interface RunRequest {
  /** Our script. */
  script: string
  folder: string
  python: string
}

async function recordRun(
  { script, folder, python }: RunRequest,
  which: keyof RecordedSetup,
  answer: string,
): Promise<Result<RecordedRun>> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' }
  const done = await runProcess(python, [script, folder, which, answer], {
    cwd: folder,
    env,
    limits,
  })
  const file = path.join(folder, 'setup.py')
  if (done.stopped === 'timeout')
    return err('project.invalid', `setup.py did not end within ${limits.seconds} s.`, { file })
  try {
    return ok(recordedRun.parse(JSON.parse(await fs.readFile(answer, 'utf8'))))
  } catch {
    return err('project.invalid', `${python} could not run setup.py.`, {
      file,
      hint: 'Choose another Python: opsmith init --python PATH.',
      detail: `${done.stdout}${done.stderr}`.trim(),
    })
  }
}

/**
 * Runs a folder's setup.py with setuptools.setup and the extension classes recorded: nothing is compiled or
 * installed, and files that it writes into its folder go elsewhere.
 * Errors: this Python cannot run it at all, or it does not end (`project.invalid`). What setup.py itself raises
 * is in the answer.
 */
export async function recordSetup(
  installation: Installation,
  folder: string,
  python: string,
): Promise<Result<RecordedSetup>> {
  const scratch = await fs.mkdtemp(path.join(os.tmpdir(), `opsmith-init-${process.pid}-`))
  try {
    const script = path.join(installation.root, 'native', 'python', 'record_setup.py')
    const request = { script, folder, python }
    const [cpu, cuda] = await Promise.all([
      recordRun(request, 'cpu', path.join(scratch, 'cpu.json')),
      recordRun(request, 'cuda', path.join(scratch, 'cuda.json')),
    ])
    if (!cpu.ok) return cpu
    return cuda.ok ? ok({ cpu: cpu.value, cuda: cuda.value }) : cuda
  } finally {
    await fs.rm(scratch, { recursive: true, force: true })
  }
}
