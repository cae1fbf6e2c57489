import fs from 'node:fs'
import path from 'node:path'

import { startForkedHost } from '../../electron/engine/host/transport'
import { Workbench } from '../../electron/engine/workbench'
import { makeTestCache, testInstallation } from '../support/installation'
import { kernelEdits } from './cuda-compile'
import { quantile, row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

/** As PyTorch's documentation writes a CUDA operator: kernel, launch and tensors in one file. */
const whole = `
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
template <typename scalar>
__global__ void twice_kernel(const scalar* x, scalar* y, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
at::Tensor twice(const at::Tensor& x) {
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor y = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "twice", [&] {
    twice_kernel<<<(x.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), x.numel());
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
`

/** Ten edits of a kernel file without torch's headers, and one compile of a file with them. */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const workbench = new Workbench(testInstallation(cache), startForkedHost)
  const projectIn = (name: string): string => fs.mkdtempSync(path.join(cache.home, name))
  try {
    options.say('ten edits of a kernel file')
    const edits = await kernelEdits(workbench, projectIn('kernel-'), 10)
    const [median, worst] = [quantile(edits, 0.5), Math.max(...edits)]
    options.say('one file with ATen and its kernel')
    const folder = projectIn('whole-')
    fs.writeFileSync(path.join(folder, 'twice.cu'), `${whole}// ${Date.now()}\n`)
    fs.writeFileSync(
      path.join(folder, 'opsmith.json'),
      JSON.stringify({ name: 'twice', sources: ['twice.cu'] }),
    )
    const [seconds = Number.NaN] = await sample(1, async () => {
      const build = await workbench.builds.build(folder)
      const step = build.ok ? build.value.steps.find(({ kind }) => kind === 'compile') : undefined
      // A CPU build of libtorch has nothing to link it with.
      if (step?.ok !== true) throw new Error('a CUDA source that includes ATen does not compile')
    })
    return [
      {
        ...row('CUDA kernel file without torch headers', 's', edits),
        verdict: `median ${median.toFixed(2)} (0.9), worst ${worst.toFixed(2)} (1.5)`,
      },
      row('CUDA source that includes ATen, one compile', 's', [seconds]),
    ]
  } finally {
    await workbench.close()
    cache.remove()
  }
}
