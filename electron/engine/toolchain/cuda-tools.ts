import path from 'node:path'

import type { Toolchain } from './choose'
import { findOnPath } from './find-on-path'

/**
 * One of the CUDA toolkit's tools for binaries: on PATH, beside nvcc, or in the Triton that PyTorch for CUDA
 * brings along. One of another version than nvcc will do: they read all that older ones wrote.
 */
export function findCudaTool(
  name: 'nvdisasm' | 'cuobjdump',
  { cuda, libtorch }: Pick<Toolchain, 'cuda' | 'libtorch'>,
): string | undefined {
  const beside = cuda ? [path.dirname(cuda.nvcc), path.join(cuda.folder, 'bin')] : []
  const triton = path.join(libtorch.folder, '..', 'triton', 'backends', 'nvidia', 'bin')
  const files = [...beside, triton].map((folder) => path.resolve(folder, name))
  return [name, ...files].map(findOnPath).find((tool) => tool !== undefined)
}
