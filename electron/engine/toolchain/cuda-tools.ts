import path from 'node:path'

import type { Toolchain } from './choose'
import { findOnPath } from './find-on-path'

/**
 * One of the CUDA toolkit's tools for binaries: beside nvcc, whose code it knows for sure, on PATH, or in the
 * Triton that PyTorch for CUDA brings along.
 */
export function findCudaTool(
  name: 'nvdisasm' | 'cuobjdump',
  { cuda, libtorch }: Pick<Toolchain, 'cuda' | 'libtorch'>,
): string | undefined {
  const beside = cuda ? [path.dirname(cuda.nvcc)] : []
  if (cuda && cuda.folder !== '') beside.push(path.join(cuda.folder, 'bin'))
  const triton = path.resolve(libtorch.folder, '..', 'triton', 'backends', 'nvidia', 'bin')
  const inFolder = (folder: string): string | undefined => findOnPath(path.join(folder, name))
  return (
    beside.map(inFolder).find((tool) => tool !== undefined) ?? findOnPath(name) ?? inFolder(triton)
  )
}
