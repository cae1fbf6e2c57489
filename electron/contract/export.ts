import { z } from 'zod'

import { exportForm } from './export-forms'
import { workbenchError } from './outcome'

export { exportForm } from './export-forms'
export type { ExportForm } from './export-forms'

/** A place in the project's sources that stands in the way of a form. */
export const exportObstacle = z.object({
  /** Relative to the project. */
  file: z.string(),
  line: z.int(),
  message: z.string(),
})
export type ExportObstacle = z.infer<typeof exportObstacle>

/** Whether a project can be exported in a form, as far as can be told without building it. */
export const formChoice = z.object({
  form: exportForm,
  /** What the form is for, in one line. */
  purpose: z.string(),
  possible: z.boolean(),
  /** Why it is not possible; "" when it is. */
  reason: z.string(),
  /** What to do about it; "" when there is nothing to. */
  hint: z.string(),
  /** The places in the sources that prevent it: the report of `stable`. */
  obstacles: z.array(exportObstacle),
  /** The parts of its proof that cannot be tried on this machine, each with the reason and what to install. */
  untried: z.array(z.string()),
  /** `pythons` of a request are for this form. */
  wheelPerTorch: z.boolean(),
})
export type FormChoice = z.infer<typeof formChoice>

/** What a shared library asks of the machine that it is loaded on. */
export const abiReport = z.object({
  /** File name of the library. */
  library: z.string(),
  /** "x86_64" */
  architecture: z.string(),
  /** The libtorch that it was built with, "2.13.0+cpu"; libtorch keeps its ABI within a minor version. */
  libtorch: z.string(),
  /** The lowest version that has all it needs: "2.13". */
  minimumLibtorch: z.string(),
  /** _GLIBCXX_USE_CXX11_ABI */
  cxx11Abi: z.boolean(),
  /** Highest symbol versions it needs: "2.34", "3.4.30", "1.3.13"; "" where it needs none. */
  glibc: z.string(),
  glibcxx: z.string(),
  cxxabi: z.string(),
  /** DT_NEEDED, in its order. */
  needed: z.array(z.string()),
  /** DT_RUNPATH or DT_RPATH; [] for none. */
  runPath: z.array(z.string()),
  /** Of the device code in it: "sm_80", "compute_90"; [] for none. */
  cudaArchitectures: z.array(z.string()),
  bytes: z.int(),
})
export type AbiReport = z.infer<typeof abiReport>

/** One step of writing or proving a form. */
export const exportStep = z.object({
  /** "write", "configure", "build", "call CalcOps::calculateForce", "gradcheck", … */
  name: z.string(),
  status: z.enum(['ok', 'failed', 'skipped']),
  /** Why it failed, or was not tried, with what to do about it; "" when ok. */
  reason: z.string(),
  seconds: z.number(),
  /** Command lines and what they printed. */
  log: z.string(),
})
export type ExportStep = z.infer<typeof exportStep>

export const formReport = z.object({
  form: exportForm,
  /** Written, and every step of the proof that could be tried passed. */
  ok: z.boolean(),
  /** Absolute; it is left where it is when the proof fails. "" when nothing was written. */
  directory: z.string(),
  steps: z.array(exportStep),
  /** Relative to the directory, sorted. */
  files: z.array(z.string()),
  /** What the proof built and tested, such as the wheel: relative to the directory; [] when the proof failed. */
  products: z.array(z.string()),
  /** Of the library it holds. */
  abi: abiReport.optional(),
  /** Why it could not be written. */
  error: workbenchError.optional(),
})
export type FormReport = z.infer<typeof formReport>

/** `ok` if all forms are; after a failed form the others are still tried. */
export const exportReport = z.object({
  ok: z.boolean(),
  seconds: z.number(),
  forms: z.array(formReport),
})
export type ExportReport = z.infer<typeof exportReport>

/** What to do with a file that was changed by hand since it was exported. */
export const conflictDecision = z.enum(['keep', 'overwrite'])
export type ConflictDecision = z.infer<typeof conflictDecision>

export const exportRequest = z.object({
  forms: z.array(exportForm).min(1),
  /** Absolute. Each form goes into a folder of its own name in it. */
  directory: z.string(),
  /** Build and run it in an empty folder. */
  proof: z.boolean(),
  /**
   * By path, `cmake/CMakeLists.txt`; "*" stands for all that are not named. A changed file without a
   * decision refuses the form with file.conflict, before anything is written.
   */
  decisions: z.record(z.string(), conflictDecision),
  /**
   * Absolute paths of Pythons, or their names on PATH: a wheel is built for the torch of each, and tested with it; [] for the Python that has
   * the project's libtorch. Only for forms whose wheel is of one torch.
   */
  pythons: z.array(z.string()),
})
export type ExportRequest = z.infer<typeof exportRequest>

/** What an export would do to one file. */
export const fileChange = z.object({
  /** Relative to the form's folder. */
  path: z.string(),
  change: z.enum(['added', 'changed', 'removed', 'same']),
  /** Changed by hand since it was exported: it is overwritten only where a decision says so. */
  byHand: z.boolean(),
  /** A unified diff from what is there to what would be; "" where nothing differs or it is not text. */
  diff: z.string(),
})
export type FileChange = z.infer<typeof fileChange>

export const formDiff = z.object({
  form: exportForm,
  /** Absolute. */
  directory: z.string(),
  /** There is an export there already. */
  exists: z.boolean(),
  files: z.array(fileChange),
  /** Why the answer is not known. */
  error: workbenchError.optional(),
})
export type FormDiff = z.infer<typeof formDiff>
