import { z } from 'zod'

/** A libtorch of this machine, as set-up sees it. */
export const setupLibtorch = z.object({
  folder: z.string(),
  version: z.string(),
  /** Where it was found: a Python, an environment, a folder. */
  origin: z.string(),
  isUsable: z.boolean(),
  /** Why it cannot be used, or what it cannot do; "" for nothing. */
  why: z.string(),
  /** The native addon is built for it. */
  hasAddon: z.boolean(),
  /** Builds use it now. */
  isChosen: z.boolean(),
})
export type SetupLibtorch = z.infer<typeof setupLibtorch>

/** What set-up would find and make now. */
export const setupPlan = z.object({
  /** The libtorch that builds use has its addon. */
  isReady: z.boolean(),
  libtorchs: z.array(setupLibtorch),
  /** What the system lacks, in words, and the command that installs it; "" where no package manager is known. */
  missing: z.object({ names: z.array(z.string()), command: z.string() }),
  /** What set-up can install where there is no libtorch. */
  install: z.object({
    version: z.string(),
    folder: z.string(),
    /** The GPUs that torch has a build for, and the CUDA of that build; null without one. */
    cuda: z.object({ gpus: z.string(), cuda: z.string() }).nullable(),
    missing: z.object({ names: z.array(z.string()), command: z.string() }),
  }),
  /** On the disk of the cache folder. */
  freeBytes: z.number(),
})
export type SetupPlan = z.infer<typeof setupPlan>

export const setupStep = z.object({
  name: z.string(),
  /** False: it was there already. */
  isMade: z.boolean(),
  seconds: z.number(),
  /** On the disk. */
  bytes: z.number(),
  detail: z.string(),
})
export type SetupStep = z.infer<typeof setupStep>

export const setupReport = z.object({
  libtorch: z.string(),
  libtorchVersion: z.string(),
  compiler: z.string(),
  addon: z.string(),
  steps: z.array(setupStep),
})
export type SetupReport = z.infer<typeof setupReport>

export const setupCalls = {
  'setup.plan': { input: z.object({}), output: setupPlan },
  /** Asks the user for the folder of an unpacked libtorch; null if they cancelled, or it contains none. */
  'setup.chooseFolder': {
    input: z.object({}),
    output: z.object({ folder: z.string() }).nullable(),
  },
  /** Makes Opsmith ready for a libtorch; "" for one that set-up finds, or installs where `installs` says so. */
  'setup.run': {
    input: z.object({
      job: z.string(),
      libtorch: z.string(),
      installs: z.enum(['', 'cpu', 'cuda']),
    }),
    output: setupReport,
  },
} as const

export const setupEvents = {
  /** Of setup.run: what begins, a step that is done, and what is printed. */
  'setup.progressed': z.object({
    job: z.string(),
    started: z.string().optional(),
    step: setupStep.optional(),
    text: z.string().optional(),
  }),
} as const
