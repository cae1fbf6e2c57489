import { z } from 'zod'

/** A line of a proposed opsmith.json. */
export const proposalLine = z.object({
  text: z.string(),
  /** What it was made from: "setup.py:82, define_macros"; "" for a bracket. */
  origin: z.string(),
})
export type ProposalLine = z.infer<typeof proposalLine>

/** Remarks on a proposal: flags and sources that were left out, with the reason, and what is missing. */
export const importRemark = z.object({
  text: z.string(),
  /** Relative to the folder; "" where it is about no file. */
  file: z.string(),
  /** 1-based; 0 where it is about no line. */
  line: z.int(),
  /** The command that helps; "" for none. */
  command: z.string(),
})
export type ImportRemark = z.infer<typeof importRemark>

/** A source that is a text in a script, as load_inline takes it: it becomes a file where the user accepts that. */
export const proposedFile = z.object({
  /** Relative to the folder; there is no such file. */
  path: z.string(),
  text: z.string(),
  /** "bench.py:12, cpp_sources" */
  origin: z.string(),
})
export type ProposedFile = z.infer<typeof proposedFile>

/** A setting that the build file reads: an environment variable, or an option of CMake. It may change what is built. */
export const importSwitch = z.object({
  name: z.string(),
  /** "" for an environment variable that is not set; ON or OFF of an option. */
  value: z.string(),
  /** An option: ON or OFF. */
  isOption: z.boolean(),
  /** Relative to the folder. */
  file: z.string(),
  /** 1-based; 0 where it is unknown. */
  line: z.int(),
})
export type ImportSwitch = z.infer<typeof importSwitch>

/** An opsmith.json for a folder that has none. Nothing is written until the user accepts it. */
export const projectProposal = z.object({
  /** Absolute. */
  folder: z.string(),
  lines: z.array(proposalLine),
  remarks: z.array(importRemark),
  /** Their values hold for this proposal; others are given as definitions. */
  switches: z.array(importSwitch),
  /** Sources that are written with it; one that is there by then is not overwritten. */
  files: z.array(proposedFile),
  /**
   * `run`: setup.py was run, and recorded; `text`: its text was read; `cmake`: CMake configured the folder;
   * `script`: a script's load() and load_inline() were recorded; `sources`: only C++ and CUDA files were looked at.
   */
  source: z.enum(['run', 'text', 'cmake', 'script', 'sources']),
  /** The file that was run, or that would be, relative: setup.py, CMakeLists.txt, a script; "" for none. */
  buildFile: z.string(),
  /** The Python that ran it, or whose torch CMake found; "" where none did. */
  python: z.string(),
  /** There is such a file, and it was not run. */
  notRun: z.boolean(),
  /** The extensions, or libraries of CMake, that this project is made of. */
  extensions: z.array(z.string()),
  /** The others: each can be a project of its own. */
  otherExtensions: z.array(z.string()),
})
export type ProjectProposal = z.infer<typeof projectProposal>

/** The proposal with the sources' folder as its "root", for an opsmith.json in another folder. */
export function withRoot<Proposal extends ProjectProposal>(proposal: Proposal): Proposal {
  const [bracket, ...rest] = proposal.lines
  if (!bracket) return proposal
  const text = `  "root": ${JSON.stringify(proposal.folder)},`
  return { ...proposal, lines: [bracket, { text, origin: 'the folder of the sources' }, ...rest] }
}

/** The text of the proposed opsmith.json. */
export function proposedText({ lines }: Pick<ProjectProposal, 'lines'>): string {
  return lines.map(({ text }) => `${text}\n`).join('')
}
