import type { BuildReport } from '../../contract/build'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { buildSanitized } from '../compile/build'
import type { BuildOptions } from '../compile/build'
import type { Installation } from '../installation'
import { withFileErrors } from '../project/file-errors'
import type { ProjectOrFolder, Projects } from '../project/open-project'
import type { Libtorch } from '../toolchain/libtorch'
import { findSanitizerRuntime } from '../toolchain/sanitizer-runtime'
import type { SanitizerRuntime } from '../toolchain/sanitizer-runtime'
import type { BackgroundEvents } from './background'
import { firstError } from './builds'

/** A build of the sanitized variant, and what its library needs of a process that loads it. */
export interface SanitizedBuild {
  libtorch: Libtorch
  runtime: SanitizerRuntime
  build: BuildReport
}

export type SanitizedBuildOptions = Pick<
  BuildOptions,
  'signal' | 'onOutput' | 'onProgress' | 'onStepStarted' | 'onStepEnded'
>

/** Builds that ASan and UBSan watch; they never take the place of a plain build. */
export class SanitizedBuilds {
  constructor(
    private readonly services: { installation: Installation; projects: Projects },
    private readonly events: Pick<BackgroundEvents, 'onBackground'>,
  ) {}

  /** What does not compile is an outcome: `build` says why. Errors: no runtime (toolchain.missing), Stop. */
  async build(
    projectOrFolder: ProjectOrFolder,
    options: SanitizedBuildOptions = {},
  ): Promise<Result<SanitizedBuild>> {
    const { installation, projects } = this.services
    const opened = await projects.open(projectOrFolder)
    if (!opened.ok) return opened
    // ASan's op hosts have no device, and kernels are not what it watches.
    const project = opened.value.withoutVirtualGpu()
    const toolchain = await project.toolchain()
    if (!toolchain.ok) return toolchain
    // Without it, the linker's own message would not say what to install.
    const runtime = await findSanitizerRuntime(toolchain.value.compiler)
    if (!runtime.ok) return runtime
    const title = 'building with the sanitizers'
    this.events.onBackground?.(title, -1, project.manifest.name)
    const request = { installation, project, toolchain: toolchain.value }
    const build = await withFileErrors(() => buildSanitized(request, options))
    this.events.onBackground?.(title, 1, '')
    if (!build.ok) return build
    const { libtorch } = toolchain.value
    return ok({ libtorch, runtime: runtime.value, build: build.value })
  }

  /** The same, where what does not compile is an error (build.required). */
  async buildOrFail(
    project: ProjectOrFolder,
    options: SanitizedBuildOptions = {},
  ): Promise<Result<SanitizedBuild>> {
    const sanitized = await this.build(project, options)
    if (!sanitized.ok || sanitized.value.build.ok) return sanitized
    const first = firstError(sanitized.value.build)
    return err('build.required', `The build with the sanitizers fails: ${first?.message ?? ''}`, {
      ...(first && first.file !== '' ? { file: first.file, line: first.line } : {}),
    })
  }
}
