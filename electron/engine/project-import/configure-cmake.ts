import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { z } from 'zod'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { readSetupEnvironment } from '../installation'
import type { Installation } from '../installation'
import { isWithin } from '../project/inside'
import { findOnPath } from '../toolchain/find-on-path'
import { probeLimits, runProcess } from '../toolchain/run-command'
import { askForModel, readModel } from './cmake-file-api'
import type { CMakeModel } from './cmake-file-api'
import { copyFolder } from './copy-folder'

/** The file that CMake reads in each folder. */
export const cmakeFile = 'CMakeLists.txt'

/** Some projects download what they need when they are configured. */
const limits = { ...probeLimits, seconds: 300 }

const description = z.object({
  prefixes: z.array(z.string()),
  pyproject: z
    .object({
      name: z.string(),
      version: z.string(),
      /** The folder of CMakeLists.txt, relative to that of pyproject.toml. */
      sourceFolder: z.string(),
      buildType: z.string(),
      arguments: z.array(z.string()),
      definitions: z.record(z.string(), z.string()),
    })
    .nullable(),
})
/** What a Python and a pyproject.toml that scikit-build-core builds say to CMake. */
export type CMakeDescription = z.infer<typeof description>

/** Asks a Python where torch's CMake package is, and what pyproject.toml says. */
export async function describeForCMake(
  { root }: Installation,
  folder: string,
  python: string,
): Promise<CMakeDescription> {
  const script = path.join(root, 'native', 'python', 'describe_cmake.py')
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' }
  const done = await runProcess(python, [script, folder], { env, limits })
  try {
    return description.parse(JSON.parse(done.stdout))
  } catch {
    return { prefixes: [], pyproject: null }
  }
}

/** What CMake makes of a folder with one set of definitions. */
export interface ConfiguredProject {
  model: CMakeModel
  /** What configuring made lies here; the folder is gone when this is read. */
  build: string
  /** "1.2.0" of project(… VERSION …); "" for none. */
  version: string
  /** Variables of the cache that are ON or OFF, with their values. */
  switches: Map<string, boolean>
}

/** The first error that CMake printed: its message and the place in the repository that it is about. */
export function firstCMakeError(
  output: string,
  source: string,
): { message: string; file: string; line: number } | undefined {
  const [, block] = /^(CMake Error[^]*?)(?=\n\n\n|\n-- |\nCMake (?:Error|Warning)|$(?![^]))/m.exec(
    output,
  ) ?? [undefined, undefined]
  if (block === undefined) return undefined
  const [head = '', ...rest] = block.split('\n')
  const places = [...block.matchAll(/(?:^CMake Error at |^ {2})([^\s:]+):(\d+) \(/gm)]
  const own = places.find(([, file = '']) => isWithin(path.resolve(source, file), source))
  const paragraphs = rest.join('\n').split(/\n\s*\n|\nCall Stack/)
  const [first = '', second = ''] = paragraphs.filter((one) => one.trim() !== '')
  // "… with any of the following names:" goes on.
  const message = (first.trimEnd().endsWith(':') ? `${first}\n${second}` : first)
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
  return {
    message: message === '' ? head.replace(/^CMake Error[^:]*:\s*/, '') : message,
    file: own?.[1] === undefined ? cmakeFile : path.relative(source, path.resolve(source, own[1])),
    line: Number(own?.[2] ?? 0),
  }
}

async function readCache(build: string): Promise<Map<string, { type: string; value: string }>> {
  const text = await fs.readFile(path.join(build, 'CMakeCache.txt'), 'utf8').catch(() => '')
  const entries = [...text.matchAll(/^([A-Za-z_][\w.-]*):([A-Z]+)=(.*)$/gm)]
  return new Map(entries.map(([, name = '', type = '', value = '']) => [name, { type, value }]))
}

const isOn = (value: string): boolean => /^(1|ON|YES|TRUE|Y)$/i.test(value)

/** Where a repository is configured, and with what. */
interface CMakeTools {
  cmake: string
  /** Holds the copy and the build folders. */
  scratch: string
  folder: string
  python: string
  /** For C++ sources, where CMake would find none; undefined lets CMake choose. */
  compiler: string | undefined
}

/** A repository that CMake configures, in a copy: what is written then does not reach it. */
export class CMakeFolder {
  private count = 0

  private constructor(private readonly at: CMakeTools) {}

  /**
   * Copies the repository; close() removes the copy.
   * Errors: there is no cmake on PATH (`toolchain.missing`); the folder cannot be copied.
   */
  static async open(
    { root, cacheFolder }: Installation,
    folder: string,
    python: string,
  ): Promise<Result<CMakeFolder>> {
    const cmake = findOnPath('cmake')
    if (cmake === undefined) {
      return err(
        'toolchain.missing',
        `Opsmith cannot read ${cmakeFile}, because cmake is not on PATH.`,
      )
    }
    const made = await fs.mkdtemp(path.join(os.tmpdir(), `opsmith-init-${process.pid}-`))
    const scratch = await fs.realpath(made)
    const hasCompiler = process.env['CXX'] !== undefined || findOnPath('c++') !== undefined
    const compiler = hasCompiler ? undefined : readSetupEnvironment(root, cacheFolder).compiler
    const one = new CMakeFolder({ cmake, scratch, folder, python, compiler })
    const copied = await copyFolder(folder, one.copy)
    if (copied.ok) return ok(one)
    await one.close()
    return copied
  }

  async close(): Promise<void> {
    await fs.rm(this.at.scratch, { recursive: true, force: true })
  }

  private get copy(): string {
    return path.join(this.at.scratch, 'source')
  }

  /** A text of CMake's, about the repository in place of the copy. */
  private readonly original = (text: string): string => text.replaceAll(this.copy, this.at.folder)

  private readonly originalJson = (text: string): string =>
    text.replaceAll(this.copy, JSON.stringify(this.at.folder).slice(1, -1))

  /**
   * Configures the copy in a new build folder.
   * @param sourceFolder of CMakeLists.txt, relative
   * @param args -D and other arguments for cmake
   * Errors: CMake's own, with file and line (`project.invalid`).
   */
  async configure(
    sourceFolder: string,
    args: readonly string[],
  ): Promise<Result<ConfiguredProject>> {
    this.count += 1
    const build = path.join(this.at.scratch, `build-${this.count}`)
    await askForModel(build)
    const bin = path.dirname(this.at.python)
    const env = {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`,
      ...(this.at.compiler !== undefined && { CXX: this.at.compiler }),
    }
    const source = path.join(this.copy, sourceFolder)
    const generator = findOnPath('make') === undefined ? ['-G', 'Ninja'] : []
    const all = ['-S', source, '-B', build, '--no-warn-unused-cli', ...generator, ...args]
    const done = await runProcess(this.at.cmake, all, { cwd: this.copy, env, limits })
    if (done.exitCode !== 0) {
      const printed = this.original(`${done.stderr}${done.stdout}`).trim()
      const why =
        done.stopped === 'timeout'
          ? { message: `CMake did not finish within ${limits.seconds} s`, file: cmakeFile, line: 0 }
          : firstCMakeError(printed, path.join(this.at.folder, sourceFolder))
      const file = path.join(sourceFolder, why?.file ?? cmakeFile)
      const unexplained = `cmake exited with code ${done.exitCode ?? '?'} and printed no "CMake Error". Run cmake in a terminal to see the output.`
      return err('project.invalid', why?.message ?? unexplained, {
        file,
        line: why?.line ?? 0,
        detail: printed,
      })
    }
    try {
      const cache = await readCache(build)
      const switches = [...cache].filter(([, { type }]) => type === 'BOOL')
      return ok({
        model: await readModel(build, this.originalJson),
        build,
        version: cache.get('CMAKE_PROJECT_VERSION')?.value ?? '',
        switches: new Map(switches.map(([name, { value }]) => [name, isOn(value)])),
      })
    } catch (error) {
      return err(
        'project.invalid',
        'CMake configured the project, but Opsmith could not read the list of its targets.',
        {
          hint: 'Opsmith needs CMake 3.15 or newer. `cmake --version` shows the version.',
          file: path.join(sourceFolder, cmakeFile),
          detail: String(error),
        },
      )
    }
  }
}
