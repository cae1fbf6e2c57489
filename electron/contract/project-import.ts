import { z } from 'zod'

/** A line of a proposed opsmith.json. */
export const proposalLine = z.object({
  text: z.string(),
  /** What it was made from: "setup.py:82, define_macros"; "" for a bracket. */
  origin: z.string(),
})
export type ProposalLine = z.infer<typeof proposalLine>

/** What the user should know of a proposal: what was not carried over, and why; what is missing. */
export const importRemark = z.object({
  text: z.string(),
  /** Relative to the folder; "" where it is about no file. */
  file: z.string(),
  /** 1-based; 0 where it is about no line. */
  line: z.number().int(),
  /** The command that helps; "" for none. */
  command: z.string(),
})
export type ImportRemark = z.infer<typeof importRemark>

/** An opsmith.json for a folder that has none. Nothing is written until the user accepts it. */
export const projectProposal = z.object({
  /** Absolute. */
  folder: z.string(),
  lines: z.array(proposalLine),
  remarks: z.array(importRemark),
  /** `run`: setup.py was run, and recorded; `text`: its text was read; `sources`: only C++ and CUDA files were looked at. */
  source: z.enum(['run', 'text', 'sources']),
  /** The Python that ran setup.py; "" where none did. */
  python: z.string(),
  /** There is a setup.py, and it was not run. */
  notRun: z.boolean(),
  /** The extensions of setup.py that this project is made of. */
  extensions: z.array(z.string()),
  /** The other extensions of setup.py: each can be a project of its own. */
  otherExtensions: z.array(z.string()),
})
export type ProjectProposal = z.infer<typeof projectProposal>

/** The text of the proposed opsmith.json. */
export function proposedText({ lines }: Pick<ProjectProposal, 'lines'>): string {
  return lines.map(({ text }) => `${text}\n`).join('')
}
