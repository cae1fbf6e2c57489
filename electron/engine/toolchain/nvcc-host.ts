import type { Compiler } from './compilers'

/** Versions of host compilers that nvcc takes. */
export interface HostLimits {
  newestGcc: number
  oldestClang: number
  newestClang: number
}

export interface HostCompiler {
  path: string
  major: number
}

export interface ChosenHost {
  /** For `-ccbin`; "" for the one that nvcc finds itself. */
  path: string
  /** In a clause: why not the one that one would expect; "" where it is. */
  remark: string
  /** Why nvcc will refuse it; "" where it will not. */
  refused: string
}

/** Read from the toolkit's own crt/host_config.h, which makes the compiler refuse. */
export function hostLimitsOf(header: string): HostLimits | undefined {
  const gcc = /#if\s+__GNUC__\s*>\s*(\d+)/.exec(header)?.[1]
  if (gcc === undefined) return undefined
  // What comes before is about compilers of other makers.
  const rest = header.slice(header.search(/#if\s+__GNUC__\s*>/))
  const newest = /__clang_major__\s*>=\s*(\d+)/.exec(rest)?.[1]
  const oldest = /__clang_major__\s*<\s*(\d+)/.exec(rest)?.[1]
  return {
    newestGcc: Number(gcc),
    oldestClang: Number(oldest ?? 0),
    newestClang: newest === undefined ? Number.POSITIVE_INFINITY : Number(newest) - 1,
  }
}

interface NvccFacts {
  version: string
  hostLimits: HostLimits | undefined
  /** The one that nvcc finds itself first. */
  gccs: readonly HostCompiler[]
}

const inRange = (limits: HostLimits | undefined, { major }: HostCompiler): boolean =>
  limits === undefined || major <= limits.newestGcc

function newestInRange({ hostLimits, gccs }: NvccFacts): HostCompiler | undefined {
  return gccs.filter((one) => inRange(hostLimits, one)).sort((a, b) => b.major - a.major)[0]
}

/**
 * nvcc's host compiler: the chosen g++; with clang the gcc that nvcc finds itself, which it knows best. Where that is
 * newer than nvcc takes: the newest g++ of this machine that it does take, else clang.
 */
export function chooseHost(cuda: NvccFacts, compiler: Compiler): ChosenHost {
  const { hostLimits, version } = cuda
  const usual =
    compiler.family === 'g++' ? { path: compiler.path, major: compiler.major } : cuda.gccs[0]
  if (usual && inRange(hostLimits, usual)) {
    return { path: compiler.family === 'g++' ? usual.path : '', remark: '', refused: '' }
  }
  const newest = hostLimits?.newestGcc ?? 0
  const why = usual
    ? `nvcc ${version} supports g++ up to ${newest}, but ${usual.path} is version ${usual.major}`
    : ''
  const other = newestInRange(cuda)
  if (other) return { path: other.path, remark: `${other.path} is used: ${why}`, refused: '' }
  if (compiler.family === 'clang' && isClangInRange(hostLimits, compiler.major)) {
    return {
      path: compiler.path,
      remark: why === '' ? '' : `${compiler.path} is used: ${why}`,
      refused: '',
    }
  }
  return {
    path: usual?.path ?? compiler.path,
    remark: '',
    refused: why === '' ? `nvcc ${version} does not support clang ${compiler.major}` : why,
  }
}

function isClangInRange(limits: HostLimits | undefined, major: number): boolean {
  return limits === undefined || (major >= limits.oldestClang && major <= limits.newestClang)
}
