import fs from 'node:fs'
import path from 'node:path'

import type { Workbench } from '../../electron/engine/workbench'
import { sample } from './measure'

const kernels = (round: number): string => `
#include <cstdint>
struct CUstream_st;
template <typename scalar>
__global__ void scale_kernel(const scalar* x, scalar* y, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * scalar(${round});
}
const char* launch_scale(const float* x, float* y, int64_t n, CUstream_st* stream) {
  scale_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, n);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
`

const host = `
#include <ATen/ATen.h>
#include <torch/library.h>
struct CUstream_st;
const char* launch_scale(const float* x, float* y, int64_t n, CUstream_st* stream);
static at::Tensor scale(const at::Tensor& x) {
  at::Tensor y = at::empty_like(x);
  const char* error =
      launch_scale(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel(), nullptr);
  TORCH_CHECK(error == nullptr, error);
  return y;
}
TORCH_LIBRARY(scaled, m) { m.def("scale(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(scaled, CUDA, m) { m.impl("scale", &scale); }
`

/**
 * Seconds from the write of a kernel file without torch's headers until the library with the new kernel is
 * loaded, for each of so many edits; without a GPU there is no call to wait for.
 *
 * @param folder empty: the project is written there
 */
export async function kernelEdits(
  workbench: Workbench,
  folder: string,
  rounds: number,
): Promise<number[]> {
  const file = path.join(folder, 'scale.cu')
  fs.writeFileSync(path.join(folder, 'scale.cpp'), host)
  fs.writeFileSync(
    path.join(folder, 'opsmith.json'),
    JSON.stringify({ name: 'scaled', sources: ['scale.cpp', 'scale.cu'] }),
  )
  const make = async (round: number): Promise<void> => {
    fs.writeFileSync(file, kernels(round))
    const made = await workbench.libraries.buildAndLoad(folder, {}, 60)
    if (!made.ok || !made.value.load) throw new Error('the CUDA project does not build and load')
  }
  await make(0)
  // A window has started it when the project was opened.
  await workbench.builds.startCompileServer(folder)
  const stamp = Date.now() % 1e6
  return await sample(rounds, (index) => make(stamp + index))
}
