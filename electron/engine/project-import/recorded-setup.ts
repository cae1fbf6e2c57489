import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { z } from 'zod'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { probeLimits, runProcess } from '../toolchain/run-command'
import type { FlagPlace } from './carry-flags'

/** Sources that a script gives load_inline as texts. */
const inlineSources = z.object({
  /** As load_inline would write it, without the bindings; "" for none. */
  cpp: z.string(),
  cuda: z.string(),
  /** Functions of these sources that load_inline binds. */
  functions: z.array(z.string()),
})

/** An extension as setup.py describes it to setuptools, or a script to load() and load_inline(). */
export const recordedExtension = z.object({
  name: z.string(),
  /** The class: CppExtension, CUDAExtension, Extension, … */
  kind: z.string(),
  /** 1-based line of the file that makes it; 0 where that is unknown. */
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
  /** Null or absent where all sources are files. */
  inline: inlineSources.nullish(),
})
export type RecordedExtension = z.infer<typeof recordedExtension> & {
  /** The file that makes it, relative, where that is not the one that was run. */
  file?: string
  /** Sources that are no files yet, by path: their texts. */
  files?: ReadonlyMap<string, string>
  /**
   * Where single values come from, by their text: a source, an include path, "NAME=value" of a macro, a flag with
   * its value. What is not here comes from the extension's own line.
   */
  places?: ReadonlyMap<string, FlagPlace>
}

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

/** A file run twice: torch.cuda.is_available() is false, then true. */
export interface RecordedSetup {
  cpu: RecordedRun
  cuda: RecordedRun
}

/** Some setup.py ask git or download something. */
const limits = { ...probeLimits, seconds: 120 }

/** What is run, and recorded. */
export interface RecordRequest {
  folder: string
  /** Relative to the folder. */
  file: string
  python: string
  /** "NAME=VALUE", for its environment. */
  definitions: readonly string[]
}

/** Environment variables of "NAME=VALUE"; a type of CMake's goes. */
export function variablesOf(definitions: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    definitions.map((one) => {
      const end = one.indexOf('=')
      return [one.slice(0, end).replace(/:.*/, ''), one.slice(end + 1)] as const
    }),
  )
}

/** Where the answers of the two runs are read. */
interface Answers {
  request: RecordRequest
  folder: string
  printed: string
}

async function readAnswer(
  { request, folder, printed }: Answers,
  which: keyof RecordedSetup,
): Promise<Result<RecordedRun>> {
  try {
    const text = await fs.readFile(path.join(folder, `${which}.json`), 'utf8')
    return ok(recordedRun.parse(JSON.parse(text)))
  } catch {
    const reason = (printed.split('\n').at(-1) ?? '').replace(/\.$/, '')
    return err(
      'project.invalid',
      `${request.python} could not run ${request.file}${reason === '' ? '' : `: ${reason}`}.`,
      {
        file: path.join(request.folder, request.file),
        hint: 'Fix the error, or choose another Python: opsmith init --python PATH.',
        detail: printed,
      },
    )
  }
}

/** One process runs our script, and copies of it run the file: torch is imported once. */
async function recordTwice(
  { root }: Installation,
  scriptName: string,
  request: RecordRequest,
): Promise<Result<RecordedSetup>> {
  const { folder, file, python, definitions } = request
  const scratch = await fs.mkdtemp(path.join(os.tmpdir(), `opsmith-init-${process.pid}-`))
  try {
    const script = path.join(root, 'native', 'python', scriptName)
    const env = {
      ...process.env,
      ...variablesOf(definitions),
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONIOENCODING: 'utf-8',
    }
    const done = await runProcess(python, [script, folder, scratch, file], {
      cwd: folder,
      env,
      limits,
    })
    if (done.stopped === 'timeout') {
      return err('project.invalid', `${file} did not finish within ${limits.seconds} s.`, {
        file: path.join(folder, file),
        hint: 'Read the build files without running them: opsmith init --no-run.',
      })
    }
    const printed = `${done.stdout}${done.stderr}`.trim()
    const cpu = await readAnswer({ request, folder: scratch, printed }, 'cpu')
    if (!cpu.ok) return cpu
    const cuda = await readAnswer({ request, folder: scratch, printed }, 'cuda')
    return cuda.ok ? ok({ cpu: cpu.value, cuda: cuda.value }) : cuda
  } finally {
    await fs.rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Runs setup.py with setuptools.setup and the extension classes recorded: nothing is compiled or
 * installed, and files that it writes into its folder go elsewhere.
 * Errors: this Python cannot run it at all, or it does not end (`project.invalid`). What setup.py itself raises
 * is in the answer.
 */
export async function recordSetup(
  installation: Installation,
  request: RecordRequest,
): Promise<Result<RecordedSetup>> {
  return await recordTwice(installation, 'record_setup.py', request)
}

/**
 * Imports a script with torch.utils.cpp_extension.load and load_inline recorded: nothing is compiled. The import
 * ends where the script calls what it loads.
 * Errors: as those of recordSetup.
 */
export async function recordLoads(
  installation: Installation,
  request: RecordRequest,
): Promise<Result<RecordedSetup>> {
  return await recordTwice(installation, 'record_load.py', request)
}
