/** Sources of a project that are compiled for the virtual GPU. */
import fs from 'node:fs'
import path from 'node:path'

import type { Manifest } from '../../../contract/manifest'
import { isCuda } from '../../project/sources'
import type { SourceText } from '../generated-sources'
import { hashOf } from '../result-cache'
import type { DeviceLibraries } from './device-library'
import { gpuCacheFolder, touchEntry } from './gpu-cache'
import {
  deviceCodeFlags,
  headerFlags,
  hostCodeFlags,
  instrumentationFlags,
  wrapFlags,
} from './flags'
import type { GpuVariant } from './flags'
import { rewriteSources } from './shadow-sources'
import { agreesWithShortFloats, needsShortFloats, shortFloatHeaders } from './short-floats'

/** What nvcc's sources begin with; asserts of device code count, as with nvcc. */
const usualHeaders =
  '#undef NDEBUG\n#include <cassert>\n#include "cuda_runtime.h"\n#include "opsmith/gpu/torch_types.h"\n'

/** What compile servers and precompiled headers for device code have read. */
export const deviceCodeHeaders = usualHeaders + shortFloatHeaders

/** What every rewritten source begins with. The last header asks for macros of that source alone. */
function preamble(texts: readonly string[]): string {
  const more = needsShortFloats(texts) ? shortFloatHeaders : ''
  return `${usualHeaders}${more}#include "opsmith/gpu/dependent_blocks.h"\n`
}

/** A CUDA source as clang compiles it. */
export interface GpuSource {
  /** The rewritten copy, in the cache. */
  file: string
  text: string
  /** Its blocks may wait for each other, or their order shows. */
  dependentBlocks: boolean
  /** It means the same after `deviceCodeHeaders`. */
  agreesWithHeaders: boolean
}

/**
 * Rewrites the CUDA sources of a project. The copies lie in the cache under their hash, so that equal projects share
 * their objects.
 * @param folders where `#include` looks
 */
export function gpuSourcesOf(
  cacheFolder: string,
  folder: string,
  sources: readonly SourceText[],
  folders: readonly string[],
): Map<SourceText, GpuSource> {
  const wanted = gpuCacheFolder(cacheFolder, 'sources')
  fs.mkdirSync(wanted, { recursive: true })
  const base = fs.realpathSync(wanted)
  const options = { folders, preamble, projectFolder: folder }
  const targetOf = (hash: string): string => path.join(base, hashOf('gpu-sources-2', hash))
  return new Map(
    sources
      .filter(({ file }) => isCuda(file))
      .map((source) => {
        const shadows = rewriteSources([source.file], options, targetOf)
        const file = shadows.shadowOf(source.file)
        touchEntry(path.dirname(file))
        const { dependentBlocks, texts } = shadows
        const agreesWithHeaders = agreesWithShortFloats(texts)
        const text = fs.readFileSync(file, 'utf8')
        return [source, { file, text, dependentBlocks, agreesWithHeaders }]
      }),
  )
}

/** nvcc's flags that mean something to clang too: macros, include paths, and what is for the host compiler. */
function hostFlagsOf(cudaCflags: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < cudaCflags.length; index += 1) {
    const flag = cudaCflags[index] ?? ''
    const next = cudaCflags[index + 1]
    if (['-I', '-D', '-U', '-isystem', '-include'].includes(flag) && next !== undefined) {
      kept.push(flag, next)
      index += 1
    } else if (/^-(I|D|U)./.test(flag)) kept.push(flag)
  }
  return kept
}

/** Flags of a source that uses CUDA, after those that all C++ sources share. */
export function gpuSourceFlags(
  root: string,
  { cudaCflags }: Manifest,
  variant: GpuVariant,
  source: { relative: string; dependentBlocks: boolean },
): string[] {
  const isDevice = isCuda(source.relative)
  return [
    ...(isDevice ? deviceCodeFlags : hostCodeFlags),
    ...headerFlags(root),
    // Relative to the folder the compiler runs in: copies of a project share their objects.
    `-I${path.dirname(source.relative)}`,
    ...(source.dependentBlocks ? ['-DOPSMITH_GPU_DEPENDENT_BLOCKS=1'] : []),
    ...hostFlagsOf(cudaCflags),
    ...(isDevice ? instrumentationFlags(variant) : []),
  ]
}

/** CUDA's own libraries, which the virtual GPU takes the place of. */
const ofCuda = /^-l(cudart|cudart_static|cudadevrt|cuda|nvToolsExt|torch_cuda|c10_cuda)$/

/** The link of a library with operators of the virtual GPU. */
export function gpuLinkFlags(
  { runtime, device }: DeviceLibraries,
  variant: GpuVariant,
  own: readonly string[],
): string[] {
  return [
    device,
    runtime,
    `-Wl,-rpath,${path.dirname(device)}`,
    `-Wl,-rpath,${path.dirname(runtime)}`,
    ...wrapFlags(variant),
    ...own.filter((flag) => !ofCuda.test(flag)),
  ]
}
