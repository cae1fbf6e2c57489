import { z } from 'zod'

import { flag } from './manifest'

/** `machine`: the processor's instructions in the library that is loaded; `ptx` and `sass` of CUDA kernels. */
export const assemblyForm = z.enum(['machine', 'ptx', 'sass'])
export type AssemblyForm = z.infer<typeof assemblyForm>

export const assemblyFunction = z.object({
  /** Its address in the library, or the mangled name of a kernel: several functions may have one name. */
  id: z.string(),
  /** Demangled, with its arguments. */
  name: z.string(),
  /** For lists: without arguments; for a lambda, the function that contains it and the function that runs it. */
  title: z.string(),
  /** Where its code begins, an absolute path; "" when the compiler did not say. */
  file: z.string(),
  line: z.int(),
  /** Bytes of its code; 0 when unknown, as in PTX. */
  size: z.int(),
})
export type AssemblyFunction = z.infer<typeof assemblyFunction>

export const assemblyRow = z.object({
  kind: z.enum(['instruction', 'label', 'directive', 'comment']),
  /** Hexadecimal, without 0x; "" where there is none. */
  address: z.string(),
  /** Demangled; jumps name labels. */
  text: z.string(),
  /** The project's line it belongs to; "" and 0 where it belongs to none. */
  file: z.string(),
  line: z.int(),
  /** What of another file was inlined there: "at::Tensor::size, TensorBase.h:188"; "" for the line's own code. */
  inlined: z.string(),
  /** The row of the label that it jumps to; -1 for none. */
  target: z.int(),
})
export type AssemblyRow = z.infer<typeof assemblyRow>

/** A loop of a function's machine code: its first and last row. */
export const rowRange = z.object({ first: z.int(), last: z.int() })
export type RowRange = z.infer<typeof rowRange>

export const assemblyLoop = rowRange.extend({
  /** The project's line that most of its instructions belong to; "" and 0 for none. */
  file: z.string(),
  line: z.int(),
  instructions: z.int(),
})
export type AssemblyLoop = z.infer<typeof assemblyLoop>

/** Words that precede an x86 instruction. */
const prefixed =
  /^(?:@!?%?\w+\s+)?((?:(?:lock|rep|repz|repnz|bnd|notrack|data16|cs|ds)\s+)*[^\s;]+)/

/** The name of an instruction, without its predicate and its operands: "lock xadd", "ld.global.f32". */
export function instructionName(text: string): string {
  return prefixed.exec(text)?.[1] ?? ''
}

export const assemblyReport = z.object({
  form: assemblyForm,
  function: assemblyFunction,
  rows: z.array(assemblyRow),
  /** Counts by kind of instruction; the first entry is the total. For SASS also the resources of a kernel. */
  mix: z.array(z.object({ what: z.string(), count: z.int() })),
  /** "x86-64", "sm_90". */
  architecture: z.string(),
  /** The programs that were run. */
  tool: z.string(),
  /** What instructions do, by instructionName(): those of this function that are known, and no others. */
  meanings: z.record(z.string(), z.string()),
  /** The innermost loops, of machine code only. */
  loops: z.array(assemblyLoop),
})
export type AssemblyReport = z.infer<typeof assemblyReport>

/**
 * The requested function: by its id or name (with or without arguments or namespaces), or by a line that it has code
 * of.
 */
export const assemblyChoice = z.object({
  form: assemblyForm,
  /** "" chooses by the line. */
  name: z.string(),
  /** Absolute, or relative to the project; "" with a name. */
  file: z.string(),
  line: z.int().nonnegative(),
})
export type AssemblyChoice = z.infer<typeof assemblyChoice>

export const assemblyListing = z.object({
  /** Of the project's own sources, in their order. */
  functions: z.array(assemblyFunction),
  /** Forms that this project and machine have, each with why not; "" where it has. */
  forms: z.array(z.object({ form: assemblyForm, whyNot: z.string() })),
  /** File names of the compilers of this machine that can build the project, its own left out. */
  compilers: z.array(z.string()),
})
export type AssemblyListing = z.infer<typeof assemblyListing>

/**
 * One side of a comparison: the build that is loaded, a kept build (its key, its name, or "last"), or the sources of now
 * with more flags, and with another compiler where one is named, by its path or the name of its file.
 */
export const assemblySide = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('loaded') }),
  z.object({ kind: z.literal('build'), build: z.string().min(1) }),
  z.object({
    kind: z.literal('flags'),
    flags: z.array(flag),
    /** "" for the project's own. */
    compiler: z.string().max(4096).default(''),
  }),
])
export type AssemblySide = z.infer<typeof assemblySide>

/** The side that a text of flags means; a compiler may come first: "g++-12 -O3". */
export function flagsSide(text: string): AssemblySide {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const compiler = words[0]?.startsWith('-') === false ? words.shift() : ''
  return { kind: 'flags', flags: words, compiler: compiler ?? '' }
}

export const assemblyComparison = z.object({
  base: assemblyReport,
  other: assemblyReport,
  /** The names of both, for people: "now", "build of 3 Nov 10:12", "g++ 12.2.0 -O3 -march=native". */
  baseLabel: z.string(),
  otherLabel: z.string(),
  /**
   * Instructions and labels next to each other, as indices into the rows of both; -1 where one has none. `same`: they
   * differ at most in names of labels, in distances to data and in numbers of PTX registers.
   */
  pairs: z.array(z.object({ base: z.int(), other: z.int(), same: z.boolean() })),
})
export type AssemblyComparison = z.infer<typeof assemblyComparison>

/** clang's remark on a line of the project: an optimization, or why there is none. */
export const optimizationRemark = z.object({
  /** Absolute. */
  file: z.string(),
  line: z.int(),
  column: z.int(),
  /** `done`: the line was optimized; `missed`: it was not. */
  kind: z.enum(['done', 'missed']),
  /** clang's name of the pass: "loop-vectorize". */
  pass: z.string(),
  message: z.string(),
})
export type OptimizationRemark = z.infer<typeof optimizationRemark>

/** llvm-mca's estimate of a loop whose data is in the first-level cache, and whose branches are predicted correctly. */
export const loopEstimate = rowRange.extend({
  /** The processor that it is for: "znver3". */
  processor: z.string(),
  /** Cycles of one iteration. */
  cycles: z.number(),
  instructionsPerCycle: z.number(),
  /** Cycles of one iteration if nothing had to wait for an earlier result. */
  withoutWaiting: z.number(),
  /** Of each instruction by its row; `throughput`: cycles until the next of its kind can start. */
  rows: z.array(z.object({ row: z.int(), latency: z.number(), throughput: z.number() })),
  /** What makes the estimate wrong: calls, instructions that llvm-mca does not know. */
  warnings: z.array(z.string()),
})
export type LoopEstimate = z.infer<typeof loopEstimate>
