/** The part of a build that is for the virtual GPU. */
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { Installation } from '../../installation'
import type { OpenProject } from '../../project/open-project'
import { isCuda } from '../../project/sources'
import type { Toolchain } from '../../toolchain/choose'
import { includesCuda } from '../cuda'
import type { CxxSource } from '../cxx-tasks'
import type { SourceText } from '../generated-sources'
import { deviceLibraries } from './device-library'
import type { DeviceLibraries } from './device-library'
import { instrumentationFlags, lastFlags } from './flags'
import type { GpuVariant } from './flags'
import { gpuLinkFlags, gpuSourceFlags, gpuSourcesOf } from './gpu-sources'
import type { GpuSource } from './gpu-sources'

interface PartRequest {
  installation: Installation
  toolchain: Toolchain
  project: OpenProject
  variant: GpuVariant
  onProgress?: ((text: string) => void) | undefined
}

/** Whether anything of a project runs on a device `cuda`: its sources, or inputs that are on one. */
function usesCuda({ manifest }: OpenProject, texts: readonly SourceText[]): boolean {
  const inputs = [
    manifest.inputs,
    ...manifest.gradchecks.map((entry) => entry.inputs ?? {}),
    ...(manifest.checks ?? []).map((entry) => entry.inputs ?? {}),
    ...manifest.benchmarks.map((entry) => entry.inputs ?? {}),
  ]
  return (
    texts.some(({ file }) => isCuda(file)) ||
    includesCuda(texts.map(({ text }) => text)) ||
    inputs.some((named) => Object.values(named).some(({ device }) => device?.startsWith('cuda')))
  )
}

/** NVIDIA's libraries that a CUDA part is linked with, and that the virtual GPU does not have. */
function nvidiaLibraries({ manifest }: OpenProject): string[] {
  return manifest.cudaLdflags
    .map(
      (flag) =>
        /^-l((?:cu(?:blas|sparse|fft|rand|solver|dnn|tensor|file|pti)|nccl|nvrtc|nvjpeg|nvml|npp)\w*)$/.exec(
          flag,
        )?.[1],
    )
    .filter((name) => name !== undefined)
}

export class GpuPart {
  private constructor(
    readonly libraries: DeviceLibraries,
    private readonly request: PartRequest,
    private readonly sources: ReadonlyMap<SourceText, GpuSource>,
  ) {}

  /**
   * @param texts the project's sources
   * @param folders where `#include` looks
   * @returns undefined where the project uses no CUDA, or this toolchain has no virtual GPU
   */
  static async of(
    request: PartRequest,
    texts: readonly SourceText[],
    folders: readonly string[],
  ): Promise<Result<GpuPart | undefined>> {
    const { installation, toolchain, project, onProgress } = request
    const { virtualGpu, libtorch } = toolchain
    if (!virtualGpu || !usesCuda(project, texts)) return ok(undefined)
    const missing = nvidiaLibraries(project)
    if (missing.length > 0) {
      return err(
        'toolchain.mismatch',
        `"cudaLdflags" in opsmith.json links ${missing.join(', ')}, but the virtual GPU does not provide ${missing.length === 1 ? 'this library' : 'these libraries'}.`,
        { hint: 'Code that uses these libraries needs a GPU and a CUDA build of libtorch.' },
      )
    }
    const { root, cacheFolder } = installation
    const tools = { root, cacheFolder, compiler: virtualGpu.compiler }
    const libraries = await deviceLibraries(tools, libtorch, onProgress)
    if (!libraries.ok) return libraries
    const sources = gpuSourcesOf(cacheFolder, project.folder, texts, folders)
    return ok(new GpuPart(libraries.value, request, sources))
  }

  /**
   * A source that uses CUDA as clang compiles it.
   * @param prelude what it starts from
   */
  sourceOf(source: SourceText, label: string, prelude: CxxSource['prelude']): CxxSource {
    const rewritten = this.sources.get(source)
    const { file, text } = rewritten ?? { file: source.relative, text: source.text }
    return this.withGpu({ label, file, text, prelude }, source)
  }

  /** The same for a generated source around one of the project. */
  boundSource(around: SourceText, bound: CxxSource): CxxSource {
    return this.withGpu(bound, around)
  }

  private withGpu(compiled: CxxSource, source: SourceText): CxxSource {
    const { installation, project, variant } = this.request
    const { relative } = source
    const isDevice = isCuda(relative)
    const { dependentBlocks = false, agreesWithHeaders = true } = this.sources.get(source) ?? {}
    const place = { relative, dependentBlocks }
    return {
      ...compiled,
      // Our CUDA headers are no part of a key otherwise.
      text: `${this.libraries.identity}\n${compiled.text}`,
      gpu: {
        flags: gpuSourceFlags(installation.root, project.manifest, variant, place),
        lastFlags: isDevice ? lastFlags(variant) : [],
        isInstrumented: instrumentationFlags(variant).length > 0 && isDevice,
        isDevice,
        agreesWithHeaders,
      },
    }
  }

  /** @param own the project's flags for the linker */
  linkFlags(own: readonly string[]): string[] {
    return gpuLinkFlags(this.libraries, this.request.variant, own)
  }
}
