import { z } from 'zod'

export const searchQuery = z.object({
  text: z.string().min(1).max(10_000),
  /** `text` is a regular expression of JavaScript's; it is matched within lines. */
  isRegex: z.boolean(),
  matchCase: z.boolean(),
  wholeWord: z.boolean(),
  /** Globs with commas between them: "*.cpp, src"; "" for all files. */
  include: z.string().max(10_000),
  exclude: z.string().max(10_000),
  /** What each match would become; for a regular expression "$1" and "$&" are its groups. */
  replacement: z.string().max(10_000).optional(),
})
export type SearchQuery = z.infer<typeof searchQuery>

export const searchMatch = z.object({
  line: z.int().positive(),
  /** 1-based, in UTF-16 units, as the editor counts. */
  column: z.int().positive(),
  endColumn: z.int().positive(),
  /** What stands before and after it in its line; long ones are cut. */
  before: z.string(),
  text: z.string(),
  after: z.string(),
  replacement: z.string().optional(),
})
export type SearchMatch = z.infer<typeof searchMatch>

export const searchReport = z.object({
  files: z.array(z.object({ path: z.string(), matches: z.array(searchMatch) })),
  /** Files that were looked at. */
  searched: z.int().nonnegative(),
  /** Matches beyond the first 2,000, or files beyond the first 20,000, are left out. */
  isCut: z.boolean(),
})
export type SearchReport = z.infer<typeof searchReport>

/** Search in files: a part of appCalls. */
export const searchCalls = {
  /**
   * What .gitignore names, folders of builds, binary files and those beyond 8 MB are left out. Texts of open files
   * take the place of those on disk. Errors: request.invalid for a regular expression that is none, or that takes
   * too long.
   */
  'search.run': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      query: searchQuery,
      /** Paths are relative to the project. */
      unsaved: z.array(z.object({ path: z.string(), text: z.string() })),
    }),
    output: searchReport,
  },
} as const
