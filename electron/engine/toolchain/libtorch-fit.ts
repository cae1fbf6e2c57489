import type { Libtorch } from './libtorch'

const plainVersion = (version: string): string => version.replace(/\+.*$/, '')

/** Why a library for one libtorch does not work in a Python with another; "" where it does. */
export function whyNoFit(built: Libtorch, loaded: Libtorch, python: string): string {
  const between = `The library is built for libtorch ${built.version} (${built.folder}), but ${python} has torch ${loaded.version}`
  if (plainVersion(built.version) !== plainVersion(loaded.version)) return `${between}.`
  if (built.cxx11Abi !== loaded.cxx11Abi) return `${between}, which has another C++ ABI.`
  return built.hasCuda && !loaded.hasCuda ? `${between}, which was built without CUDA.` : ''
}
