import { z } from 'zod'

import { buildOptionFields, defaultBuildOptions } from './build-options'
import { gpuChoice } from './gpu-choice'

const fields = {
  compiler: z.string().describe('Absolute path of a C++ compiler. Empty: Opsmith chooses.'),
  libtorch: z
    .string()
    .describe(
      'Absolute path of a libtorch folder, with include/ and lib/. Empty: Opsmith chooses.',
    ),
  gpu: gpuChoice.describe(
    'What runs CUDA code. auto: the virtual GPU if libtorch is a CPU build and this machine lacks a GPU or nvcc, else the GPU of this machine. hardware: never the virtual GPU. virtual: always the virtual GPU, which needs a CPU build of libtorch.',
  ),
  ...buildOptionFields,
  clangd: z.string().describe('Absolute path of a clangd. Empty: Opsmith chooses.'),
  codeHelp: z
    .boolean()
    .describe('Use clangd in the editor: completion, definitions, and errors as you type.'),
  theme: z.enum(['system', 'dark', 'light', 'contrast']).describe('Colours of the window.'),
  buildOnSave: z.boolean().describe('Build when a source is saved, or changes on disk.'),
  hotCompile: z
    .boolean()
    .describe('In the window, build with the compile server if clang’s libraries are installed.'),
  timeOnBuild: z
    .boolean()
    .describe('After each successful build, repeat the timings that the Timings panel shows.'),
  blame: z
    .boolean()
    .describe(
      'Show who last changed the cursor’s line, according to git, at the end of that line.',
    ),
  fontSize: z.number().min(8).max(32).describe('Text size in pixels; it scales the whole window.'),
  callTimeout: z
    .number()
    .positive()
    .describe('Time limit of a call, in seconds. Opsmith then ends the op host.'),
  memoryLimit: z
    .number()
    .nonnegative()
    .describe('Memory limit of an op host, in bytes. 0: three quarters of the machine’s memory.'),
  sandbox: z.boolean().describe('Run op hosts in a sandbox, if the system supports it.'),
  writableFolders: z
    .array(z.string().startsWith('/', 'must be an absolute path'))
    .describe('Folders, in addition to the project, that op hosts may write to; absolute paths.'),
  recentProjects: z.array(z.string()).describe('Folders that were opened before, newest first.'),
  projectsFolder: z
    .union([z.literal(''), z.string().startsWith('/', 'must be an absolute path')])
    .describe(
      'Folder for new projects and copies of samples; an absolute path. Empty: $XDG_DATA_HOME/opsmith/projects, or ~/.local/share/opsmith/projects.',
    ),
  checkVersion: z
    .boolean()
    .describe(
      'Look for a newer version of Opsmith, at most once a day: one GET of one address. Only the version in the answer is read.',
    ),
  /** Only the user writes it, in the file: of an address that the window chose, data could be a part. */
  versionAddress: z
    .union([
      z.literal(''),
      z
        .string()
        .regex(/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)[:/])/, 'must begin with https://'),
    ])
    .describe(
      'Address that `checkVersion` reads: JSON with `tag_name` or `version`. Empty: that of this build, if it has one. Only the file can change it.',
    ),
  /** Only main writes it. */
  exportFolders: z
    .record(z.string(), z.string())
    .describe('The last export folder of each project; absolute paths.'),
}

const filled = z.object(fields)
export type Settings = z.infer<typeof filled>

export const defaultSettings: Settings = {
  compiler: '',
  libtorch: '',
  gpu: 'auto',
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
  checkVersion: false,
  versionAddress: '',
  exportFolders: {},
}

/** What a user changed; what is not named stays as it is. */
export const settingsChange = filled.partial()
export type SettingsChange = z.infer<typeof settingsChange>

/** What a user chose for all projects; kept as settings.json in the config folder. Unknown keys are kept. */
export const settings = z.looseObject(fields)

/** Where a project is exported to: what was chosen last, else a folder beside it, so that globs of its sources do not find exports. */
export function exportFolderOf(settings: Pick<Settings, 'exportFolders'>, project: string): string {
  return settings.exportFolders[project] ?? `${project}-exports`
}
