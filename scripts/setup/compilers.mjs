// Which C++ compiler is there, judged as the engine judges (electron/engine/toolchain/compilers.ts).
import fs from 'node:fs'
import path from 'node:path'

import { ask } from '../lib/command.mjs'

export const oldestClang = 16
export const oldestGcc = 11

/**
 * @typedef {{ path: string, family: 'clang' | 'g++', version: string, major: number, identity: string }} Compiler
 */

/** @returns {Compiler | undefined} undefined when the file is no C++ compiler */
export function describeCompiler(file) {
  let real
  let stat
  try {
    real = fs.realpathSync(file)
    stat = fs.statSync(real)
  } catch {
    return undefined
  }
  const text = ask([file, '--version'])
  const clang = /clang version (\d+)\.([\d.]+)/.exec(text)
  const gcc = /^(?:g\+\+|c\+\+|gcc)\S* .*?(\d+)\.(\d+\.\d+)/m.exec(text)
  const match = clang ?? gcc
  if (!match) return undefined
  return {
    path: file,
    family: clang ? 'clang' : 'g++',
    version: `${match[1]}.${match[2]}`,
    major: Number(match[1]),
    identity: `${text.split('\n')[0]} ${real} ${stat.size}`,
  }
}

export function isUsable(compiler) {
  return compiler.major >= (compiler.family === 'clang' ? oldestClang : oldestGcc)
}

/** @type {Compiler[] | undefined} */
let known

/** After packages were installed: look again. */
export function forgetCompilers() {
  known = undefined
}

/** Every C++ compiler on PATH, the best first: usable clang by version, then g++ by version. */
export function findCompilers() {
  known ??= searchPath()
  return known
}

function searchPath() {
  /** @type {Map<string, Compiler>} */
  const found = new Map()
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    let names = []
    try {
      names = fs.readdirSync(folder)
    } catch {
      continue
    }
    for (const name of names.filter((one) => /^(clang\+\+|g\+\+)(-\d+)?$/.test(one)).sort()) {
      const compiler = describeCompiler(path.join(folder, name))
      if (compiler && !found.has(compiler.identity)) found.set(compiler.identity, compiler)
    }
  }
  const rank = (compiler) =>
    (isUsable(compiler) ? (compiler.family === 'clang' ? 2000 : 1000) : 0) + compiler.major
  return [...found.values()].sort((a, b) => rank(b) - rank(a))
}

/** The linker option to use with a compiler: lld where it is, "" for the compiler's own. */
export function linkerFlag(compiler) {
  return ask([compiler.path, '-fuse-ld=lld', '-Wl,--version']).includes('LLD') ? '-fuse-ld=lld' : ''
}
