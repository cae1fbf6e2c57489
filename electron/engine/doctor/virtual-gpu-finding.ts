import type { Finding } from '../../contract/doctor'
import type { GpuChoice } from '../../contract/gpu-choice'
import type { Result } from '../../contract/outcome'
import { chooseClang } from '../toolchain/choose'
import type { Toolchain } from '../toolchain/choose'
import { blank } from './blank-finding'

/**
 * Whether CUDA code runs on the virtual GPU, with which clang, or why not.
 * @param choice of opsmith.json, else of the settings
 */
export async function virtualGpuFinding(
  choice: GpuChoice,
  chosen: Result<Toolchain>,
): Promise<Finding> {
  const base: Finding = { ...blank, kind: 'virtual-gpu', name: 'virtual GPU', path: '' }
  if (!chosen.ok) {
    const why = 'no usable compiler or no usable libtorch was found'
    return choice === 'virtual'
      ? { ...base, judgement: 'unusable', why: chosen.error.message }
      : { ...base, judgement: 'absent', why }
  }
  const { virtualGpu, compiler, libtorch } = chosen.value
  if (libtorch.hasCuda) {
    const why =
      'the virtual GPU needs a CPU build of libtorch, but the chosen libtorch is a CUDA build'
    return { ...base, judgement: 'absent', why }
  }
  const clang = virtualGpu?.compiler ?? (compiler.family === 'clang' ? compiler : undefined)
  const found = clang ? undefined : await chooseClang()
  if (found && !found.ok) {
    const why = 'the virtual GPU needs clang 16 or newer, but Opsmith found no such clang'
    return { ...base, judgement: 'absent', why, remedy: found.error.hint ?? '' }
  }
  const used = clang ?? (found?.ok ? found.value : compiler)
  const usable: Finding = {
    ...base,
    path: used.path,
    version: used.version,
    facts: [['kernels are compiled by', `clang++ ${used.version}`]],
  }
  if (virtualGpu) return { ...usable, chosen: true }
  return {
    ...usable,
    why:
      choice === 'hardware'
        ? '“Only the GPU of this machine” is chosen in Settings, or "gpu" is "hardware" in "toolchain" of opsmith.json'
        : 'Opsmith uses the GPU of this machine instead',
  }
}
