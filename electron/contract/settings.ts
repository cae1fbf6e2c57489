import { z } from 'zod'

import { buildOptionFields, defaultBuildOptions } from './build-options'
import { gpuChoice } from './gpu-choice'

const word = z.string().min(1)
/** A name that begins with "-" would be an option of the command. */
const name = word.regex(/^[^-\s]\S*$/, 'must be a name without spaces, and must not begin with "-"')
const options = z.array(word).exactOptional()

const there = {
  /** The path of Opsmith there. */
  opsmith: word.exactOptional(),
  /** The folder to start in. */
  folder: word.exactOptional(),
}

/** What reaches another machine or a container, and what is there. `options` are further words of its command. */
const target = z.union([
  /** It gets more words: those of a command, or a line for a shell if it is ssh. */
  z.strictObject({ command: z.array(word).min(1), ...there }),
  z.strictObject({ ssh: name, options, ...there }),
  z.strictObject({ docker: name, user: name.exactOptional(), options, ...there }),
  z.strictObject({ podman: name, user: name.exactOptional(), options, ...there }),
  z.strictObject({
    kubectl: name,
    container: name.exactOptional(),
    namespace: name.exactOptional(),
    context: name.exactOptional(),
    options,
    ...there,
  }),
  /** `srun`: the words after it, such as "--gres=gpu:1". `login`: a host of ssh that has srun. */
  z.strictObject({ srun: z.array(word), login: name.exactOptional(), ...there }),
])
export type Target = z.infer<typeof target>

/** A way to use Slurm: for example a partition. */
const cluster = z.object({
  sbatch: z.array(z.string().min(1)),
})

const fields = {
  compiler: z.string().describe('Absolute path of a C++ compiler. Empty: Opsmith chooses.'),
  libtorch: z
    .string()
    .describe(
      'Absolute path of a libtorch folder, with include/ and lib/. Empty: Opsmith chooses.',
    ),
  gpu: gpuChoice.describe(
    'What runs CUDA code. auto: the virtual GPU if libtorch is a CPU build and this machine has no GPU or no nvcc, else the GPU of this machine. hardware: never the virtual GPU. virtual: always the virtual GPU, which needs a CPU build of libtorch.',
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
    .describe(
      'In the window, build faster with the compile server (a clang process that keeps libtorch’s headers loaded), if clang’s libraries are installed.',
    ),
  timeOnBuild: z
    .boolean()
    .describe('After each successful build, repeat the timings that the Timings panel shows.'),
  blame: z
    .boolean()
    .describe(
      'Show who last changed the cursor’s line, according to git, at the end of that line.',
    ),
  fontSize: z
    .number()
    .min(8)
    .max(32)
    .describe('Text size in pixels. The text size scales the whole window.'),
  callTimeout: z
    .number()
    .positive()
    .describe(
      'Time limit of a call, in seconds. After this time, Opsmith ends the op host (the process that calls operators).',
    ),
  memoryLimit: z
    .number()
    .nonnegative()
    .describe('Memory limit of an op host, in bytes. 0: three quarters of the machine’s memory.'),
  sandbox: z
    .boolean()
    .describe(
      'Run op hosts in a sandbox, if the system supports it: operators can write only to allowed folders, and cannot use the network.',
    ),
  writableFolders: z
    .array(z.string().startsWith('/', 'must be an absolute path'))
    .describe('Absolute paths of folders that op hosts may write to, in addition to the project.'),
  recentProjects: z
    .array(z.string())
    .describe(
      'Folders that were opened before, newest first. `TARGET:/FOLDER` is a folder on another machine.',
    ),
  keepMinutes: z
    .number()
    .min(0)
    .max(1_440)
    .describe(
      'How many minutes Opsmith on another machine keeps running after the connection to that machine is lost, so that the window can connect again. 0: Opsmith on that machine ends immediately.',
    ),
  projectsFolder: z
    .union([z.literal(''), z.string().startsWith('/', 'must be an absolute path')])
    .describe(
      'Folder for new projects and copies of samples; an absolute path. Empty: $XDG_DATA_HOME/opsmith/projects, or ~/.local/share/opsmith/projects.',
    ),
  checkVersion: z
    .boolean()
    .describe(
      'Look for a newer version of Opsmith, at most once a day, with one GET request. Opsmith reads only the version in the answer.',
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
      'The address that `checkVersion` reads. The answer must be JSON with the key `tag_name` or `version`. Empty: the address that this build of Opsmith contains, if it contains one. You can change this setting only in the settings file.',
    ),
  /** Only the user writes them, in the file: each is a command that runs. */
  targets: z
    .record(z.string(), target)
    .describe(
      'Other machines and containers for `--on` and *Connect to …*. Each has exactly one of these keys: `ssh`, a host; `docker` or `podman`, a container; `kubectl`, a pod; `srun`, a list of options of srun; `command`, the words of a command that runs other commands there, such as `["ssh", "gpu"]`. `opsmith` is the path of Opsmith there, and `folder` is the folder to start in. You can change this setting only in the settings file.',
    ),
  /** Only the user writes them, in the file: their words become options of a command. */
  clusters: z
    .record(z.string(), cluster)
    .describe(
      'Ways to use Slurm, each with a name for `--over`. `sbatch` is a list of options of sbatch, such as `["--partition=gpu", "--gres=gpu:1"]`. You can change this setting only in the settings file.',
    ),
  /** Only the user writes it, in the file: it is a command that runs. */
  hostLauncher: z
    .array(z.string().min(1))
    .describe(
      'A command that runs a program on another node, such as `["srun", "--gres=gpu:1"]`. Opsmith starts op hosts with this command. Empty: op hosts run on this machine. You can change this setting only in the settings file.',
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
  keepMinutes: 10,
  projectsFolder: '',
  checkVersion: false,
  versionAddress: '',
  targets: {},
  clusters: {},
  hostLauncher: [],
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
