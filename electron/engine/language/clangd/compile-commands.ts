import fs from 'node:fs'
import path from 'node:path'

import type { CompileTask } from '../../compile/compile-task'
import type { BuildPlan } from '../../compile/plan'
import { hashOf } from '../../compile/result-cache'
import { isCuda } from '../../project/sources'

/** One entry of compile_commands.json. */
export interface CompileCommand {
  directory: string
  file: string
  arguments: string[]
}

/** Flags that take the next word. */
const pairs = new Set(['-I', '-isystem', '-idirafter', '-iquote', '-D', '-U', '-include'])

/**
 * The build's flags as other programs understand them: a precompiled header becomes the header that it
 * was made of, and what only the one compiler knows (plugins, gcc's own flags) goes.
 * @param headers our headers' folder
 */
function readableFlags(args: readonly string[], headers: string): string[] {
  const kept: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const flag = args[index] ?? ''
    const next = args[index + 1] ?? ''
    const precompiled =
      flag === '-include-pch' || (flag === '-include' && args.includes('-Winvalid-pch'))
    if (precompiled && next.includes(`${path.sep}precompiled${path.sep}`)) {
      const name = path.basename(next).replace(/\..*$/, '')
      const header = path.join(headers, 'opsmith', `prelude_${name}.h`)
      if (fs.existsSync(header)) kept.push('-include', header)
      index += 1
    } else if (flag === '-include-pch' || flag === '-Xclang') {
      index += 1
    } else if (
      !/^-(Winvalid-pch|fpch-|fplugin|fpass-plugin|ftime-trace|fno-gnu-unique|fopenmp$|f(no-)?color-diagnostics|fdiagnostics-color)/.test(
        flag,
      )
    ) {
      kept.push(flag)
    }
  }
  return kept
}

/** nvcc's flags that clang understands as they are. */
function cudaFlags(args: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const flag = args[index] ?? ''
    const next = args[index + 1]
    if (pairs.has(flag) && next !== undefined) {
      kept.push(flag, next)
      index += 1
    } else if (/^-(I|isystem|D|U|std=)./.test(flag)) {
      kept.push(flag)
    }
  }
  return kept
}

/**
 * Headers that clang's CUDA wrapper includes and CUDA 13 has no more. Empty ones do: they declared what
 * CUDA itself has given up. Last on the include path, so that a toolkit's own come before them.
 */
function missingCudaHeaders(cacheFolder: string): string {
  const folder = path.join(cacheFolder, 'clangd', 'cuda')
  fs.mkdirSync(folder, { recursive: true })
  for (const name of ['texture_fetch_functions.h', 'curand_mtgp32_kernel.h']) {
    const file = path.join(folder, name)
    if (!fs.existsSync(file)) fs.writeFileSync(file, '')
  }
  return folder
}

/**
 * The commands that a build would run for the project's own sources, for clangd and for other editors.
 * CUDA sources get clang's flags for CUDA, their host side, since nvcc's mean nothing to clang.
 */
export function compileCommands(
  plan: Pick<BuildPlan, 'tools' | 'compiles'>,
  folder: string,
): CompileCommand[] {
  const { toolchain, installation } = plan.tools
  const headers = path.join(plan.tools.includes.folder, 'include')
  const commandOf = (task: CompileTask): CompileCommand | undefined => {
    const source = task.around ?? task.source
    // Generated units and those that all projects share are not edited.
    if (path.isAbsolute(source)) return undefined
    const isVirtual = isCuda(source) && task.command !== toolchain.cuda?.nvcc
    const args = isVirtual
      ? [
          task.command,
          '-x',
          'cuda',
          '--cuda-host-only',
          '-nocudalib',
          '-nocudainc',
          '-Wno-unknown-cuda-version',
          '-fdeclspec',
          ...cudaFlags(task.args),
          '-include',
          'opsmith/gpu/clangd.h',
        ]
      : isCuda(source)
        ? [
            toolchain.compiler.family === 'clang' ? toolchain.compiler.path : 'clang++',
            '-x',
            'cuda',
            '--cuda-host-only',
            '-nocudalib',
            '-Wno-unknown-cuda-version',
            ...(toolchain.cuda?.folder ? [`--cuda-path=${toolchain.cuda.folder}`] : []),
            ...cudaFlags(task.args),
            '-idirafter',
            missingCudaHeaders(installation.cacheFolder),
          ]
        : [
            task.command,
            ...readableFlags(task.args, headers),
            // What is put before a source whose functions are bound by name.
            ...(task.around === undefined ? [] : ['-include', 'torch/extension.h']),
          ]
    return {
      directory: folder,
      file: path.join(folder, source),
      arguments: [...args, '-c', source],
    }
  }
  return plan.compiles.map(commandOf).filter((command) => command !== undefined)
}

/** Where a project's compile_commands.json lies: in the cache, so that nothing appears in the project. */
export function commandsFolder(cacheFolder: string, folder: string): string {
  return path.join(cacheFolder, 'clangd', hashOf('clangd-1', folder))
}

export const commandsText = (commands: readonly CompileCommand[]): string =>
  `${JSON.stringify(commands, null, 2)}\n`
