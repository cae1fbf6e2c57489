import fs from 'node:fs'
import path from 'node:path'

import type { Compiler } from '../../toolchain/compilers'

/** What a program that is made of clang's own parts is built with. */
export interface ClangLibraries {
  /** Holds clang/ and llvm/. */
  include: string
  /** Holds the two libraries. */
  folder: string
  clang: string
  llvm: string
}

export type FoundClangLibraries =
  | { found: ClangLibraries; why: ''; remedy: '' }
  | { found: undefined; why: string; remedy: string }

/** clang's interfaces change with every release: the compile server is written for this one. */
export const supportedClang = 19

function missing(why: string, remedy: string): FoundClangLibraries {
  return { found: undefined, why, remedy }
}

/** The libraries of the very clang that compiles, and their headers; else what is missing. */
export function findClangLibraries(compiler: Compiler): FoundClangLibraries {
  if (compiler.family !== 'clang') {
    return missing(
      `the compile server needs clang ${supportedClang}, but the compiler is g++`,
      'apt-get install clang-19 lld-19 libclang-19-dev llvm-19-dev',
    )
  }
  if (compiler.major !== supportedClang) {
    return missing(
      `the compile server needs clang ${supportedClang}, but the compiler is clang ${compiler.major}`,
      'apt-get install clang-19 lld-19 libclang-19-dev llvm-19-dev',
    )
  }
  if (!path.isAbsolute(compiler.linker)) {
    return missing('lld is not installed', `apt-get install lld-${compiler.major}`)
  }
  const remedy = `apt-get install libclang-${compiler.major}-dev llvm-${compiler.major}-dev`
  // .../lib/llvm-19/bin/clang, whatever the name on PATH.
  const home = path.resolve(path.dirname(fs.realpathSync(compiler.path)), '..')
  const include = path.join(home, 'include')
  for (const header of ['clang/Frontend/CompilerInstance.h', 'llvm/IR/Module.h']) {
    if (!fs.existsSync(path.join(include, header)))
      return missing(
        `the development headers of clang and LLVM are not installed (${header} is missing)`,
        remedy,
      )
  }
  const folder = path.join(home, 'lib')
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  const find = (pattern: RegExp): string | undefined =>
    names.filter((name) => pattern.test(name)).sort((a, b) => a.length - b.length)[0]
  const clang = find(/^libclang-cpp\.so/)
  const llvm = find(/^libLLVM(-\d+)?\.so/)
  return clang === undefined || llvm === undefined
    ? missing("clang's own libraries are not installed (libclang-cpp.so, libLLVM.so)", remedy)
    : { found: { include, folder, clang, llvm }, why: '', remedy: '' }
}
