import fs from 'node:fs/promises'
import path from 'node:path'

import type { BuiltVariant, KernelVariant } from '../../contract/build'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProjectFile, TrustState } from '../../contract/project'
import type { ProgramSource } from '../../contract/run'
import type { Settings } from '../../contract/settings'
import type { Installation } from '../installation'
import { chooseToolchain, chosenTools } from '../toolchain/choose'
import type { Toolchain } from '../toolchain/choose'
import { listFiles } from './describe-project'
import { systemCode } from './file-errors'
import { ioError } from './files'
import { insideProject } from './inside'
import { entryLinesIn, parseManifest, readManifestText } from './read-manifest'
import { readSettings } from './settings-file'
import { Trust } from './trust'
import { manifestFileOf, manifestFolderOf } from './manifest-place'

/** What was read when a cycle began. */
interface ProjectContents {
  /** Absolute. */
  folder: string
  /** Nothing that the folder names may be run: no tool, no build, no program. */
  isRestricted: boolean
  manifest: Manifest
  manifestText: string
  settings: Settings
  /** What kernels on the virtual GPU are compiled for. */
  kernelVariant: BuiltVariant
}

/**
 * A project as one cycle sees it: a build, a run, a check. opsmith.json and the settings are read when the
 * cycle begins (Projects.open), and the tools are chosen and the program is read at most once in it. A cycle
 * therefore never mixes two versions of opsmith.json; the next cycle reads them again.
 */
export class OpenProject {
  private chosen: Promise<Result<Toolchain>> | undefined
  private readProgram: Promise<Result<ProgramSource | undefined>> | undefined

  constructor(
    private readonly installation: Installation,
    private readonly contents: ProjectContents,
  ) {}

  get folder(): string {
    return this.contents.folder
  }

  get manifest(): Manifest {
    return this.contents.manifest
  }

  /** The text of opsmith.json that `manifest` was parsed from. */
  get manifestText(): string {
    return this.contents.manifestText
  }

  get settings(): Settings {
    return this.contents.settings
  }

  get kernelVariant(): BuiltVariant {
    return this.contents.kernelVariant
  }

  /** See restricted(). */
  get isRestricted(): boolean {
    return this.contents.isRestricted
  }

  /**
   * The compiler, libtorch and CUDA that opsmith.json, else the settings, choose. Refused in restricted mode, and
   * with it all that is built and run.
   */
  toolchain(): Promise<Result<Toolchain>> {
    if (this.isRestricted) return Promise.resolve(restricted(this.folder))
    this.chosen ??= chooseToolchain(this.installation, chosenTools(this.settings, this.manifest))
    return this.chosen
  }

  /** The folder of the libtorch that opsmith.json, else the settings, choose; "" for none. */
  get chosenLibtorch(): string {
    return chosenTools(this.settings, this.manifest).libtorch
  }

  /** The TorchScript program, to compile it; undefined when the project has none. Refused in restricted mode. */
  program(): Promise<Result<ProgramSource | undefined>> {
    if (this.isRestricted) return Promise.resolve(restricted(this.folder))
    this.readProgram ??= this.programSource()
    return this.readProgram
  }

  private async programSource(): Promise<Result<ProgramSource | undefined>> {
    const relative = this.manifest.program
    if (relative === undefined) return ok(undefined)
    const file = await insideProject(this.folder, relative)
    if (!file.ok) {
      return err('project.invalid', `opsmith.json, program: ${file.error.message}`, {
        path: 'program',
        file: manifestFileOf(this.folder),
        hint: file.error.hint ?? '',
      })
    }
    try {
      // Reading a named pipe would wait for a writer.
      if (!(await fs.stat(file.value)).isFile()) {
        return err('project.invalid', `opsmith.json, program: ${relative} is not a regular file.`, {
          path: 'program',
          file: manifestFileOf(this.folder),
        })
      }
      return ok({ file: file.value, source: await fs.readFile(file.value, 'utf8') })
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error)))
        return ioError(error, `read ${file.value}`)
      return err('project.invalid', `opsmith.json, program: there is no file ${relative}.`, {
        path: 'program',
        file: manifestFileOf(this.folder),
        hint: 'Create the file, or correct "program" in opsmith.json.',
      })
    }
  }

  /** The same project as it is built for users, whose GPU is none of ours. */
  withoutVirtualGpu(): OpenProject {
    const { manifest, settings } = this.contents
    const { gpu: _, ...toolchain } = manifest.toolchain
    return new OpenProject(this.installation, {
      ...this.contents,
      manifest: { ...manifest, toolchain },
      settings: { ...settings, gpu: 'hardware' },
      kernelVariant: 'plain',
    })
  }

  /** The same project, its kernels compiled for stepping. */
  forStepping(): OpenProject {
    return new OpenProject(this.installation, { ...this.contents, kernelVariant: 'stepped' })
  }

  /** The same project, its C++ sources compiled with more flags, CUDA's too. */
  withFlags(flags: readonly string[]): OpenProject {
    const { manifest } = this.contents
    const { cflags, cudaCflags } = manifest
    return new OpenProject(this.installation, {
      ...this.contents,
      manifest: {
        ...manifest,
        cflags: [...cflags, ...flags],
        cudaCflags: [...cudaCflags, ...flags],
      },
    })
  }

  /** 1-based lines on which the entries of a list of opsmith.json begin. */
  entryLines(key: string): number[] {
    return entryLinesIn(this.manifestText, key)
  }

  async files(): Promise<ProjectFile[]> {
    return await listFiles(this.folder, this.manifest)
  }
}

/** The folder of a project, which begins a cycle, or the project that the cycle under way has opened. */
export type ProjectOrFolder = OpenProject | string

/** The absolute folder of either. */
export function folderOf(project: ProjectOrFolder): string {
  return typeof project === 'string' ? path.resolve(project) : project.folder
}

/** The refusal of whatever would run code of a folder that is not trusted. */
export function restricted(folder: string): Result<never> {
  return err(
    'project.restricted',
    `${folder} is open in restricted mode, so Opsmith does not run code from this folder.`,
    {
      hint: 'If you trust the authors of the folder, choose "Trust this folder" at the top of the window.',
    },
  )
}

/** Opens projects for a cycle each, with opsmith.json as it is then: an edit is seen by the next cycle. */
export class Projects {
  readonly trust: Trust
  /** By file, the last text of opsmith.json and its manifest. Parsing takes 2 ms. Manifests are shared: never change one. */
  private readonly parsed = new Map<string, { text: string; manifest: Result<Manifest> }>()
  /** From the next cycle on, what kernels on the virtual GPU are compiled for. */
  kernelVariant: KernelVariant = 'plain'

  /** @param asksForTrust a folder that the user has not trusted is open in restricted mode */
  constructor(
    private readonly installation: Installation,
    private readonly asksForTrust: boolean,
  ) {
    this.trust = new Trust(installation)
  }

  /** Whether nothing of the folder may be run, its opsmith.json broken or not; "" is not a folder. */
  async isRestricted(folder: string): Promise<boolean> {
    return folder !== '' && this.asksForTrust && (await this.trustOf(folder)) !== 'trusted'
  }

  /** Of a project: opsmith.json chooses tools and flags, so that its folder counts too where it is in another. */
  async trustOf(folder: string): Promise<TrustState> {
    const states = await Promise.all(
      [folder, manifestFolderOf(folder)].map(async (one) => await this.trust.of(one)),
    )
    return states.find((state) => state !== 'trusted') ?? 'trusted'
  }

  /** A project that is open already is the answer itself. Errors: those of readManifest(). */
  async open(project: ProjectOrFolder): Promise<Result<OpenProject>> {
    if (typeof project !== 'string') return ok(project)
    const folder = path.resolve(project)
    const text = await readManifestText(folder)
    if (!text.ok) return text
    const manifest = this.manifestIn(folder, text.value)
    if (!manifest.ok) return manifest
    const contents = {
      folder,
      isRestricted: await this.isRestricted(folder),
      manifest: manifest.value,
      manifestText: text.value,
      settings: await this.settings(),
      kernelVariant: this.kernelVariant,
    }
    return ok(new OpenProject(this.installation, contents))
  }

  /** One of Opsmith's own, which nobody is asked to trust. Errors: those of readManifest(). */
  async openOwn(folder: string): Promise<Result<OpenProject>> {
    const text = await readManifestText(folder)
    if (!text.ok) return text
    const manifest = this.manifestIn(folder, text.value)
    if (!manifest.ok) return manifest
    return ok(
      new OpenProject(this.installation, {
        folder,
        isRestricted: false,
        manifest: manifest.value,
        manifestText: text.value,
        settings: await this.settings(),
        kernelVariant: 'plain',
      }),
    )
  }

  private manifestIn(folder: string, text: string): Result<Manifest> {
    const file = manifestFileOf(folder)
    const known = this.parsed.get(file)
    if (known?.text === text) return known.manifest
    const manifest = parseManifest(text, file)
    this.parsed.set(file, { text, manifest })
    return manifest
  }

  async settings(): Promise<Settings> {
    return await readSettings(this.installation.configFolder)
  }

  /** The tools of a project, or those that the settings alone choose, for undefined. */
  async toolchain(project: OpenProject | undefined): Promise<Result<Toolchain>> {
    if (project) return await project.toolchain()
    return await chooseToolchain(this.installation, chosenTools(await this.settings(), undefined))
  }
}
