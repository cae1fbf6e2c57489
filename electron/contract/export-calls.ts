import { z } from 'zod'

import {
  exportForm,
  exportReport,
  exportRequest,
  exportStep,
  formChoice,
  formDiff,
  formReport,
} from './export'

/** What the window asks about exports of a project. */
export const exportCalls = {
  'export.forms': { input: z.object({ folder: z.string() }), output: z.array(formChoice) },
  /**
   * Where to export to, from now on: asks the user for a folder, or takes what was `typed` (relative to
   * the project; "~" is the home) and asks before it is outside the project. Null if they cancelled. Outside the
   * project, exports go only to this folder.
   */
  'export.chooseDirectory': {
    input: z.object({ folder: z.string(), typed: z.string() }),
    output: z.object({ directory: z.string() }).nullable(),
  },
  /** What an export would do to the files that are there; builds the project and makes its calls. */
  'export.diff': {
    input: z.object({
      folder: z.string(),
      job: z.string(),
      request: exportRequest.omit({ proof: true, decisions: true, pythons: true }),
    }),
    output: z.array(formDiff),
  },
  /** Writes and proves; steps come as export.progressed and their logs as export.output. */
  'export.run': {
    input: z.object({ folder: z.string(), job: z.string(), request: exportRequest }),
    output: exportReport,
  },
  /** Sets opsmith.json's `exports`: the forms that are exported by default. */
  'export.keep': {
    input: z.object({ folder: z.string(), forms: z.array(exportForm) }),
    output: z.object({}),
  },
  /** Shows a folder that was exported to in the system's file manager. */
  'export.showDirectory': { input: z.object({ directory: z.string() }), output: z.object({}) },
} as const

export const exportEvents = {
  'export.progressed': z.object({
    job: z.string(),
    form: exportForm,
    done: z.int(),
    total: z.int(),
    /** Name of the step that began; "" when one is done. */
    running: z.string(),
    step: exportStep.optional(),
    report: formReport.optional(),
  }),
  /** Command lines of a step and what they print, as it comes. */
  'export.output': z.object({
    job: z.string(),
    form: exportForm,
    step: z.string(),
    text: z.string(),
  }),
} as const
