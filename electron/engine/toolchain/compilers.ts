import fs from 'node:fs'
import path from 'node:path'

import type { Judgement } from '../../contract/doctor'
import { findAllOnPath, findOnPath } from './find-on-path'
import { probeLimits, runProcess } from './run-command'
import type { CommandLimits } from './run-command'

export type CompilerFamily = 'clang' | 'g++'

export interface Compiler {
  family: CompilerFamily
  path: string
  version: string
  major: number
  /** Changes whenever the compiler does: part of every cache key. */
  identity: string
  judgement: Judgement
  why: string
  remedy: string
  /** Linker passed by -fuse-ld, "" for the compiler's own. */
  linker: string
}

export const oldestClang = 16
export const oldestGcc = 11

function judge(
  family: CompilerFamily,
  major: number,
): Pick<Compiler, 'judgement' | 'why' | 'remedy'> {
  if (family === 'clang') {
    return major >= oldestClang
      ? { judgement: 'usable', why: '', remedy: '' }
      : {
          judgement: 'unusable',
          why: `libtorch's headers need C++20, which clang ${major} does not support: install clang ${oldestClang} or newer`,
          remedy: 'apt-get install clang-19 lld-19',
        }
  }
  return major >= oldestGcc
    ? {
        judgement: 'warning',
        why: 'works; clang builds faster',
        remedy: 'apt-get install clang-19 lld-19',
      }
    : {
        judgement: 'unusable',
        why: `libtorch's headers need C++20, which g++ ${major} does not support: install g++ ${oldestGcc} or newer`,
        remedy: 'apt-get install g++',
      }
}

function findLinker(family: CompilerFamily, compilerPath: string, major: number): string {
  if (family === 'clang') {
    const beside = path.join(path.dirname(fs.realpathSync(compilerPath)), 'ld.lld')
    if (findOnPath(beside)) return beside
    const named = findOnPath(`ld.lld-${major}`) ?? findOnPath('ld.lld')
    if (named) return named
    return findOnPath('mold') ? 'mold' : ''
  }
  if (findOnPath('ld.lld')) return 'lld'
  return findOnPath('ld.mold') || findOnPath('mold') ? 'mold' : ''
}

const known = new Map<string, Promise<Compiler | undefined>>()

/** What the executable is; undefined when it is no C++ compiler. Asked once for each version on disk. */
export async function describeCompiler(file: string): Promise<Compiler | undefined> {
  let stamp: string
  try {
    const real = fs.realpathSync(file)
    const stat = fs.statSync(real)
    stamp = `${real}:${stat.size}:${Math.trunc(stat.mtimeMs)}`
  } catch {
    return undefined
  }
  let answer = known.get(stamp)
  if (!answer) {
    answer = ask(file, stamp)
    known.set(stamp, answer)
  }
  return await answer
}

/** A busy machine must not make clang look like no compiler: builds would use another one. */
const patience: CommandLimits = { ...probeLimits, seconds: 60 }

async function ask(file: string, stamp: string): Promise<Compiler | undefined> {
  const result = await runProcess(file, ['--version'], { limits: patience })
  // It did not answer in time: the next caller asks again.
  if (result.stopped !== undefined) known.delete(stamp)
  if (result.exitCode !== 0) return undefined
  const clang = /clang version (\d+)\.([\d.]+)/.exec(result.stdout)
  const gcc = /^(?:g\+\+|c\+\+|gcc)\S* .*?(\d+)\.(\d+\.\d+)/m.exec(result.stdout)
  const match = clang ?? gcc
  if (!match?.[1] || match[2] === undefined) return undefined
  const family: CompilerFamily = clang ? 'clang' : 'g++'
  const major = Number(match[1])
  return {
    family,
    path: file,
    version: `${match[1]}.${match[2]}`,
    major,
    identity: `${family}:${match[1]}.${match[2]}:${stamp}`,
    ...judge(family, major),
    linker: findLinker(family, file, major),
  }
}

/** Every C++ compiler on PATH, the best first: usable clang by version, then g++ by version. */
export async function findCompilers(extra: readonly string[] = []): Promise<Compiler[]> {
  const files = [
    ...extra.filter((file) => file !== ''),
    ...findAllOnPath(/^(clang\+\+|g\+\+)(-\d+)?$/),
  ]
  const found = await Promise.all(files.map(describeCompiler))
  const byIdentity = new Map<string, Compiler>()
  for (const compiler of found) {
    if (compiler && !byIdentity.has(compiler.identity)) byIdentity.set(compiler.identity, compiler)
  }
  const rank = (compiler: Compiler): number =>
    (compiler.judgement === 'unusable' ? 0 : compiler.family === 'clang' ? 2000 : 1000) +
    compiler.major
  return [...byIdentity.values()].sort((a, b) => rank(b) - rank(a))
}
