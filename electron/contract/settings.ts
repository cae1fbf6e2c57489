import { z } from 'zod'

import { buildOptionFields, defaultBuildOptions } from './build-options'

const fields = {
  /** Absolute path of a C++ compiler; "" lets Opsmith choose. */
  compiler: z.string(),
  /** Absolute path of a libtorch folder (with include/ and lib/); "" lets Opsmith choose. */
  libtorch: z.string(),
  ...buildOptionFields,
  /** Absolute path of a clangd; "" lets Opsmith choose. */
  clangd: z.string(),
  /** clangd reads the files that are open: completion, definitions, mistakes as one types. */
  codeHelp: z.boolean(),
  theme: z.enum(['system', 'dark', 'light', 'contrast']),
  buildOnSave: z.boolean(),
  /** Builds of the window go through the compile server, where clang's own libraries are installed. */
  hotCompile: z.boolean(),
  /** What the Timings panel shows is measured again after each good build. */
  timeOnBuild: z.boolean(),
  /** The editor says behind the line of the cursor who changed it last, as git knows. */
  blame: z.boolean(),
  fontSize: z.number().min(8).max(32),
  /** Seconds a call may run before its op host is ended. */
  callTimeout: z.number().positive(),
  /** Bytes the op host may hold; 0: three quarters of the machine's memory. */
  memoryLimit: z.number().nonnegative(),
  /** Op hosts run in a sandbox, where the system has one. */
  sandbox: z.boolean(),
  /** Folders that op hosts may write to besides the project; absolute. */
  writableFolders: z.array(z.string().startsWith('/', 'must be an absolute path')),
  /** Folders opened before, newest first. */
  recentProjects: z.array(z.string()),
  /** Where new projects and copies of samples are made; absolute, "" for `opsmith` in the home folder. */
  projectsFolder: z.union([z.literal(''), z.string().startsWith('/', 'must be an absolute path')]),
  /** Where a project was last exported to, by its folder; all absolute. Only main writes it. */
  exportFolders: z.record(z.string(), z.string()),
}

const filled = z.object(fields)
export type Settings = z.infer<typeof filled>

export const defaultSettings: Settings = {
  compiler: '',
  libtorch: '',
  ...defaultBuildOptions,
  clangd: '',
  codeHelp: true,
  theme: 'system',
  buildOnSave: true,
  hotCompile: true,
  timeOnBuild: true,
  blame: false,
  fontSize: 13,
  callTimeout: 60,
  memoryLimit: 0,
  sandbox: true,
  writableFolders: [],
  recentProjects: [],
  projectsFolder: '',
  exportFolders: {},
}

/** What a user changed; what is not named stays as it is. */
export const settingsChange = filled.partial()
export type SettingsChange = z.infer<typeof settingsChange>

/** What a user chose for all projects; kept as settings.json in the cache folder. Unknown keys are kept. */
export const settings = z.looseObject(fields)

/** Where a project is exported to: what was chosen last, else a folder beside it, so that globs of its sources do not find exports. */
export function exportFolderOf(settings: Pick<Settings, 'exportFolders'>, project: string): string {
  return settings.exportFolders[project] ?? `${project}-exports`
}
