import { z } from 'zod'

import { projectProposal } from './project-import'

/** What the window asks for a folder without opsmith.json. */
export const importCalls = {
  /**
   * Proposes an opsmith.json for a folder without one. setup.py is run where the folder is trusted, or is from now
   * on (`trusts`); else its text is read. Nothing is written.
   */
  'project.propose': {
    input: z.object({
      folder: z.string(),
      /** The extension of setup.py that is wanted; "" for no choice. */
      extension: z.string(),
      /** "NAME=VALUE": environment variables of setup.py and scripts, and variables of CMake's. */
      definitions: z.array(z.string().regex(/^\w[\w.-]*(:[A-Z]+)?=[^\n\0]*$/)).max(100),
      trusts: z.boolean(),
    }),
    output: projectProposal.extend({
      /** A folder for an opsmith.json that is to be kept apart; absolute, not there yet. */
      apart: z.string(),
    }),
  },
  /**
   * Writes the opsmith.json that was proposed last for this folder; one that is there is refused.
   * Output: the folder in which it is.
   */
  'project.writeProposal': {
    input: z.object({
      folder: z.string(),
      /** Into the folder `apart` of the proposal: nothing is written next to the sources. */
      isApart: z.boolean(),
    }),
    output: z.object({ folder: z.string() }),
  },
} as const
