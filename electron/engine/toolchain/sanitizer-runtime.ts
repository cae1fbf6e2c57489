import fs from 'node:fs'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Compiler } from './compilers'
import type { Installation } from '../installation'
import { runProcess } from './run-command'

/** What a process needs that loads a library built with -fsanitize=address,undefined. */
export interface SanitizerRuntime {
  /** Shared libraries that must be loaded before all others, for LD_PRELOAD. */
  preload: string[]
}

/** Names that the compiler's own files may have, the first that is there counts. */
const runtimeNames = {
  clang: [
    `libclang_rt.asan-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so`,
    'libclang_rt.asan.so',
  ],
  'g++': ['libasan.so'],
} as const

function installHint({ family, major }: Compiler): string {
  return family === 'clang'
    ? `apt-get install libclang-rt-${major}-dev (Fedora: compiler-rt; Arch: compiler-rt)`
    : `apt-get install libgcc-${major}-dev (Fedora: libasan libubsan; Arch: gcc-libs)`
}

/** The path of a file of the compiler's own; undefined when it has none of that name. */
async function fileOf(compiler: Compiler, name: string): Promise<string | undefined> {
  const result = await runProcess(compiler.path, [`-print-file-name=${name}`])
  const file = result.stdout.trim()
  // A compiler that does not have it repeats the name.
  return path.isAbsolute(file) && fs.existsSync(file) ? fs.realpathSync(file) : undefined
}

/** ASan's runtime as the compiler has it; UBSan's is part of it, or is loaded with the library. */
export async function findSanitizerRuntime(compiler: Compiler): Promise<Result<SanitizerRuntime>> {
  for (const name of runtimeNames[compiler.family]) {
    const file = await fileOf(compiler, name)
    if (file !== undefined) return ok({ preload: [file] })
  }
  return err(
    'toolchain.missing',
    `The sanitizers' runtime of ${compiler.family} ${compiler.version} is not installed.`,
    { hint: installHint(compiler) },
  )
}

/** The Node that an op host under a sanitizer runs in. */
export function plainNodeOf({ plainNode }: Installation): Result<string> {
  if (plainNode !== '') return ok(plainNode)
  return err('toolchain.missing', 'The sanitizers need Node.js, but there is no `node` on PATH.', {
    hint: 'Install Node.js (apt-get install nodejs), or add the folder of `node` to PATH. Then start Opsmith again.',
  })
}
