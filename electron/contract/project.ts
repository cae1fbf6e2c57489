import { z } from 'zod'

import { manifest } from './manifest'
import { workbenchError } from './outcome'

export const projectFile = z.object({
  /** Relative to the project's folder, with forward slashes. */
  path: z.string(),
  role: z.enum(['manifest', 'source', 'header', 'program', 'other']),
})
export type ProjectFile = z.infer<typeof projectFile>

/**
 * Whether code of a folder may run: its build, its operators, the tools that its opsmith.json chooses. The user
 * decides; until then (`unknown`) it is treated as restricted.
 */
export const trustState = z.enum(['trusted', 'restricted', 'unknown'])
export type TrustState = z.infer<typeof trustState>

/** A decision of the user's about a folder and all below it. */
export const trustedFolder = z.object({
  /** Absolute, links resolved. */
  folder: z.string(),
  trust: z.enum(['trusted', 'restricted']),
})
export type TrustedFolder = z.infer<typeof trustedFolder>

/** What a project's folder holds. */
export const describedProject = z.object({
  /** Absolute path; it identifies the project. */
  folder: z.string(),
  /** Absolute; `files` and all calls name it "opsmith.json", also where it is in another folder. */
  manifestFile: z.string(),
  name: z.string(),
  files: z.array(projectFile),
  /** What the list of files leaves out, and why; absent where it is whole. */
  remark: z.string().optional(),
  /** Absent when opsmith.json does not parse; `problem` then says why. */
  manifest: manifest.optional(),
  problem: workbenchError.optional(),
})
export type DescribedProject = z.infer<typeof describedProject>

export const project = describedProject.extend({
  trust: trustState,
  /** The target that the folder is on; absent for this machine. */
  target: z.string().exactOptional(),
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

/** Unsaved text, kept outside the project, so that it survives a crash. */
export const draft = z.object({
  path: z.string(),
  text: z.string(),
  /** The version of the file that the draft was typed on. */
  baseVersion: z.string(),
})
export type Draft = z.infer<typeof draft>

/** What template.json of a template says. */
export const templateText = z.object({
  title: z.string(),
  description: z.string(),
  /** In the list, from 1 on. */
  position: z.number(),
  /** A project that is there can get another operator from it. */
  isOperator: z.boolean().default(false),
})

/** What a new project can begin as. */
export const projectTemplate = templateText.extend({
  /** The name of its folder: "stable-abi". */
  id: z.string(),
})
export type ProjectTemplate = z.infer<typeof projectTemplate>

export const sample = z.object({
  name: z.string(),
  description: z.string(),
  folder: z.string(),
  /** What it is an example of. */
  tags: z.array(z.enum(['CPU', 'CUDA', 'autograd', 'OpenCV'])),
  /** The first call of its opsmith.json; null where it has none. */
  example: z
    .object({
      /** Without its namespace. */
      operator: z.string(),
      /** Those of its arguments that are tensors. */
      inputs: z.array(
        z.object({ name: z.string(), shape: z.array(z.number()), requiresGrad: z.boolean() }),
      ),
    })
    .nullable(),
  /** The command that installs missing packages; "" if none is missing. */
  missing: z.string(),
})
export type Sample = z.infer<typeof sample>
