import { z } from 'zod'

import { manifest } from './manifest'
import { workbenchError } from './outcome'

export const projectFile = z.object({
  /** Relative to the project's folder, with forward slashes. */
  path: z.string(),
  role: z.enum(['manifest', 'source', 'header', 'program', 'other']),
})
export type ProjectFile = z.infer<typeof projectFile>

export const project = z.object({
  /** Absolute path; it identifies the project. */
  folder: z.string(),
  name: z.string(),
  files: z.array(projectFile),
  /** Absent when opsmith.json does not parse; `problem` then says why. */
  manifest: manifest.optional(),
  problem: workbenchError.optional(),
})
export type Project = z.infer<typeof project>

/** A file as it was when it was read; `version` is what a later write must have seen. */
export const fileContent = z.object({
  path: z.string(),
  text: z.string(),
  /** Hash of the bytes on disk. */
  version: z.string(),
})
export type FileContent = z.infer<typeof fileContent>

/** Text typed but not saved, kept outside the project so that no crash can take it. */
export const draft = z.object({
  path: z.string(),
  text: z.string(),
  /** The version of the file that the draft was typed on. */
  baseVersion: z.string(),
})
export type Draft = z.infer<typeof draft>

export const sample = z.object({
  name: z.string(),
  description: z.string(),
  folder: z.string(),
  /** Packages it needs that are not here: the command that installs them; "" when all is there. */
  missing: z.string(),
})
export type Sample = z.infer<typeof sample>
