import { z } from 'zod'

/** What git says of a file, the work tree and the index together. */
export const fileState = z.enum([
  'modified',
  /** In the index, and not in the last commit. */
  'added',
  'untracked',
  'deleted',
  'renamed',
  /** A merge left both sides. */
  'conflict',
  'ignored',
])
export type FileState = z.infer<typeof fileState>

export const gitStatus = z.object({
  /** "" where nothing is checked out by name, and without a commit. */
  branch: z.string(),
  /** The commit that is checked out; "" before the first one. */
  commit: z.string(),
  files: z.array(
    z.object({
      /** Relative to the project; a folder's ends with "/", and its state holds for all that is in it. */
      path: z.string(),
      state: fileState,
    }),
  ),
})
export type GitStatus = z.infer<typeof gitStatus>

/** Who changed a line last. */
export const blamedLine = z.object({
  /** "" for what no commit has yet. */
  commit: z.string(),
  author: z.string(),
  /** Seconds since 1970. */
  time: z.number(),
  /** The first line of the commit's message. */
  summary: z.string(),
})
export type BlamedLine = z.infer<typeof blamedLine>

const inFolder = z.object({ folder: z.string(), path: z.string() })

/** What git says of the project: a part of appCalls. It is not asked in restricted mode: a repository's settings name programs. */
export const gitCalls = {
  /** Null: the project is in no repository, or there is no git. */
  'git.status': { input: z.object({ folder: z.string() }), output: gitStatus.nullable() },
  /** The file as the last commit has it; `text` null where it has none, and for what is no text. */
  'git.head': { input: inFolder, output: z.object({ text: z.string().nullable() }) },
  /** One entry for each line of the text that the editor holds. */
  'git.blame': {
    input: inFolder.extend({ text: z.string().max(4_000_000) }),
    output: z.array(blamedLine),
  },
} as const
