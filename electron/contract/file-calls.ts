import { z } from 'zod'

/** A name in a folder of the project. */
export const folderEntry = z.object({
  name: z.string(),
  /** The contents of a linked folder are not listed. */
  kind: z.enum(['file', 'folder', 'linkedFolder']),
})
export type FolderEntry = z.infer<typeof folderEntry>

export const listedFolder = z.object({
  /** Relative to the project; "" for the project's own folder. */
  path: z.string(),
  /** In no order; git's own folder is left out. */
  entries: z.array(folderEntry),
  /** There are more entries than are listed. */
  isCut: z.boolean(),
})
export type ListedFolder = z.infer<typeof listedFolder>

const none = z.object({})
const inFolder = z.object({ folder: z.string(), path: z.string() })

/**
 * What the Explorer asks and does: a part of appCalls. Paths are relative to the project. Nothing is changed
 * through a symbolic link, and nothing in git's own folder.
 */
export const fileCalls = {
  /** The entries of folders; one that is not there any more is left out. */
  'folder.list': {
    input: z.object({ folder: z.string(), paths: z.array(z.string()).max(1000) }),
    output: z.array(listedFolder),
  },
  /**
   * All files that somebody may want to open, hidden ones and those of deep folders too: 'project.open' lists what is
   * built and watched. At most 20,000.
   */
  'folder.files': { input: z.object({ folder: z.string() }), output: z.array(z.string()) },
  'folder.create': { input: inFolder, output: none },
  /** Renames or moves a file or a folder within the project; nothing is overwritten. */
  'file.move': {
    input: z.object({ folder: z.string(), path: z.string(), newPath: z.string() }),
    output: none,
  },
  /** Copies a file or a folder next to itself, under the name that comes back. */
  'file.duplicate': { input: inFolder, output: z.object({ path: z.string() }) },
  /**
   * Moves a file or a folder to the system's trash. Where that is not possible main asks the user whether to
   * delete it; `gone` is false when they keep it.
   */
  'file.trash': { input: inFolder, output: z.object({ gone: z.boolean() }) },
  /** Shows it in the system's file manager. */
  'file.reveal': { input: inFolder, output: none },
  /** Opens a file of the project in another program, of a list that main has; its name comes back. */
  'file.openElsewhere': {
    input: inFolder.extend({
      line: z.int().positive(),
      column: z.int().positive(),
      kind: z.enum(['vscode', 'system']),
    }),
    output: z.object({ name: z.string() }),
  },
  /** Copies files and folders that were dropped on the window into a folder of the project; nothing is overwritten. */
  'file.import': {
    input: z.object({
      folder: z.string(),
      into: z.string(),
      /** Absolute paths, as the bridge's `dropped` gave them. */
      sources: z.array(z.string()).max(1000),
    }),
    /** What they are called now. */
    output: z.object({ paths: z.array(z.string()) }),
  },
} as const
