import { z } from 'zod'

export const judgement = z.enum(['usable', 'warning', 'unusable', 'absent'])
export type Judgement = z.infer<typeof judgement>

/** One thing doctor looked for. */
export const finding = z.object({
  kind: z.enum([
    'project',
    'compiler',
    'linker',
    'tool',
    'libtorch',
    'python',
    'cuda',
    'gpu',
    'virtual-gpu',
    'addon',
    'electron',
    'precompiled-headers',
  ]),
  /** "clang++ 19.1.7", "libtorch 2.13.0". */
  name: z.string(),
  path: z.string(),
  version: z.string(),
  judgement,
  /** Why it is not usable, or only partly; "" if it is usable. */
  why: z.string(),
  /** The command that fixes it; "" if there is none. */
  remedy: z.string(),
  /** The one that builds use. */
  chosen: z.boolean(),
  /** Facts worth showing: ["C++ ABI", "cxx11"]. */
  facts: z.array(z.tuple([z.string(), z.string()])),
})
export type Finding = z.infer<typeof finding>

export const doctorReport = z.object({
  /** Operators can be built and run here. */
  ok: z.boolean(),
  platform: z.string(),
  findings: z.array(finding),
  /** Mismatches between what was chosen: ABI, C++ standard, versions. */
  problems: z.array(z.object({ message: z.string(), remedy: z.string() })),
  seconds: z.number(),
})
export type DoctorReport = z.infer<typeof doctorReport>

/** The largest log that is read, in characters. */
export const largestLog = 16 << 20

/** A failure of an environment that was found in the text of a build or of an import. */
export const explainedFailure = z.object({
  /** Of the text; 1-based. */
  line: z.number(),
  /** The line itself. */
  text: z.string(),
  /** What is wrong, in a sentence or two. */
  cause: z.string(),
  /** What to do. */
  remedy: z.string(),
  /** The command that does it; "" where there is none. */
  command: z.string(),
})
export type ExplainedFailure = z.infer<typeof explainedFailure>
