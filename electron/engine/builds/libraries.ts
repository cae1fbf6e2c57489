import type { BuildAndLoad } from '../../contract/app-calls'
import type { HostCallName, HostInput, HostOutput } from '../../contract/host-calls'
import type { LoadReport } from '../../contract/operators'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { BuildOptions } from '../compile/build'
import { placeError } from '../error-place'
import { explainLoadError } from '../explain/load-error'
import { callOnLibrary } from '../host/call-on-library'
import type { CallOptions } from '../host/host-client'
import type { HostPool } from '../host/host-pool'
import type { Installation } from '../installation'
import { folderOf, restricted } from '../project/open-project'
import type { OpenProject, ProjectOrFolder, Projects } from '../project/open-project'
import { resolveSources } from '../project/sources'
import { findAddon } from '../toolchain/addon-location'
import type { Builds } from './builds'
import { withKernelPlaces } from './kernel-places'

/** How long something may take. */
export interface CallLimits {
  /** Seconds; 0 for none. */
  timeout: number
  signal?: AbortSignal | undefined
  /** Nobody waits for it. */
  isBackground?: boolean | undefined
}

/** A built library: calls of it in the op host in use, and in op hosts next to that one. */
export interface LibraryCalls {
  call: <N extends HostCallName>(
    name: N,
    input: HostInput<N>,
    options: CallOptions,
  ) => Promise<Result<HostOutput<N>>>
  /** Who asks closes them. */
  openHostsBeside: (environment?: Readonly<Record<string, string>>) => Promise<Result<HostPool>>
  callBeside: <N extends HostCallName>(
    hosts: HostPool,
    name: N,
    input: HostInput<N>,
    options: CallOptions,
  ) => Promise<Result<HostOutput<N>>>
}

interface LibraryServices {
  installation: Installation
  projects: Projects
  builds: Builds
  hosts: HostPool
  /** Op hosts besides those; who asks closes them. */
  newHosts: (environment: Readonly<Record<string, string>>) => HostPool
}

const notBuilt = err('build.required', 'This project has no successful build yet.', {
  hint: 'Build the project (Ctrl+B). If the build fails, fix its errors.',
})

/** Built libraries in op hosts: loading them, and calling what they hold. */
export class Libraries {
  constructor(private readonly services: LibraryServices) {}

  /** Loads what was built last into the op host; what it registered comes back. */
  async load(projectOrFolder: ProjectOrFolder, limits: CallLimits): Promise<Result<LoadReport>> {
    const loaded = await this.ensureLoaded(projectOrFolder, limits)
    if (!loaded.ok) return loaded
    const { report, project } = loaded.value
    const folder = folderOf(projectOrFolder)
    const operators = await withKernelPlaces(report.operators, {
      folder,
      manifestText: project?.manifestText,
      sources: async () => {
        const found = project && (await resolveSources(folder, project.manifest))
        return found?.ok ? [...found.value.plain, ...found.value.cuda] : []
      },
    })
    return ok({ ...report, operators })
  }

  /** Loads the library as load() does, but does not look for the source of each operator. */
  async ensureLoaded(
    projectOrFolder: ProjectOrFolder,
    limits: CallLimits,
  ): Promise<Result<{ report: LoadReport; project: OpenProject | undefined }>> {
    const { builds, hosts, projects } = this.services
    const folder = folderOf(projectOrFolder)
    const build = builds.lastBuild(folder)
    if (!build) return notBuilt
    if (await projects.isRestricted(folder)) return restricted(folder)
    const opened = await projects.open(projectOrFolder)
    // What was built stays loadable when opsmith.json is broken meanwhile.
    const project = opened.ok ? opened.value : undefined
    const fitted = await this.fitHosts(hosts, folder, project)
    if (!fitted.ok) return fitted
    const report = await hosts.load(build.loadPath, limits)
    if (!report.ok) {
      const explained = await explainLoadError(report.error, folder)
      return placeError({ ok: false, error: explained }, folder)
    }
    return ok({ report: report.value, project })
  }

  /** Gives op hosts the addon of a project's libtorch, and the folder whose frames in a stack are the user's. */
  private async fitHosts(
    hosts: HostPool,
    folder: string,
    project: OpenProject | undefined,
  ): Promise<Result<HostPool>> {
    const { installation, projects } = this.services
    const toolchain = await projects.toolchain(project)
    if (!toolchain.ok) return toolchain
    const addon = findAddon(installation, toolchain.value.libtorch)
    if (!addon.ok) return addon
    hosts.useAddon(addon.value)
    const { virtualDevice = '', kernelVariant = 'plain' } =
      this.services.builds.lastBuild(folder) ?? {}
    hosts.useVirtualDevice(virtualDevice, kernelVariant)
    hosts.useProject(folder)
    return ok(hosts)
  }

  /**
   * Op hosts of a project besides those in use: for another library, for calls that may end them, or with something
   * in their environment. Who asks closes them.
   */
  async openHostsBeside(
    project: OpenProject,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Result<HostPool>> {
    return await this.fitHosts(this.services.newHosts(environment), project.folder, project)
  }

  /** Makes a call that needs the project's library. The caller has loaded it with ensureLoaded(). */
  async call<N extends HostCallName>(
    project: ProjectOrFolder,
    name: N,
    input: HostInput<N>,
    options: CallOptions,
  ): Promise<Result<HostOutput<N>>> {
    const { builds, hosts } = this.services
    const library = {
      hosts,
      loadPath: () => builds.lastBuild(project)?.loadPath,
      load: (limits: CallLimits) => this.ensureLoaded(project, limits),
    }
    return await callOnLibrary(library, name, input, options)
  }

  /** The same in op hosts of openHostsBeside(), which it loads the library into. */
  async callBeside<N extends HostCallName>(
    { hosts, project }: { hosts: HostPool; project: ProjectOrFolder },
    name: N,
    input: HostInput<N>,
    options: CallOptions,
  ): Promise<Result<HostOutput<N>>> {
    const loadPath = (): string | undefined => this.services.builds.lastBuild(project)?.loadPath
    const load = async (limits: CallLimits): Promise<Result<LoadReport>> => {
      const library = loadPath()
      return library === undefined ? notBuilt : await hosts.load(library, limits)
    }
    const loaded = await load(options)
    if (!loaded.ok) return loaded
    return await callOnLibrary({ hosts, loadPath, load }, name, input, options)
  }

  /** Of what was built last of a project. */
  callsOf(project: OpenProject): LibraryCalls {
    return {
      call: (name, input, options) => this.call(project, name, input, options),
      openHostsBeside: (environment) => this.openHostsBeside(project, environment),
      callBeside: (hosts, name, input, options) =>
        this.callBeside({ hosts, project }, name, input, options),
    }
  }

  /**
   * Builds, hot where that is possible, and loads.
   * @param timeout seconds for the load
   */
  async buildAndLoad(
    projectOrFolder: ProjectOrFolder,
    options: BuildOptions,
    timeout: number,
  ): Promise<Result<BuildAndLoad>> {
    const { builds, projects } = this.services
    const opened = await projects.open(projectOrFolder)
    const project = opened.ok ? opened.value : projectOrFolder
    let build = await builds.buildHot(project, options)
    if (!build.ok) return build
    if (!build.value.ok) return ok({ build: build.value })
    const limits = { timeout, ...(options.signal ? { signal: options.signal } : {}) }
    let load = await this.load(project, limits)
    if (!load.ok && load.error.code === 'library.load' && build.value.hot) {
      // A hot link checks no symbol; the plain one says which is missing, and where it is used.
      build = await builds.build(project, options)
      if (!build.ok) return build
      if (!build.value.ok) return ok({ build: build.value })
      load = await this.load(project, limits)
    }
    builds.startMissingServer()
    if (load.ok) return ok({ build: build.value, load: load.value })
    if (load.error.code === 'cancelled') return load
    return ok({ build: build.value, loadError: load.error })
  }
}
