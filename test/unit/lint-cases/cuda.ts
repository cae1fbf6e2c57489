import { one } from '../lint-case'
import type { LintCase } from '../lint-case'

const launch = (lines: string, head = '', parameters = 'const at::Tensor& x'): string =>
  `#include <ATen/ATen.h>
${head}__global__ void scale(float* data, int n) {}
at::Tensor f(${parameters}) {
${lines}
  return at::empty_like(x);
}
`
const guard = '  const c10::cuda::CUDAGuard guard(x.device());\n'
const check = '\n  C10_CUDA_KERNEL_LAUNCH_CHECK();'
const stream = ', 0, at::cuda::getCurrentCUDAStream()'

export const cases: LintCase[] = [
  one(
    'opsmith-launch-unchecked',
    'nobody asks',
    launch(`${guard}  »scale<<<1, 2${stream}>>>(p, 1);`),
    {
      cu: true,
      fixed: launch(
        `${guard}  scale<<<1, 2${stream}>>>(p, 1);${check}`,
        '#include <c10/cuda/CUDAException.h>\n',
      ),
    },
  ),
  one(
    'opsmith-launch-unchecked',
    'not where the function, a macro of its own or its caller asks',
    `#define CHECKED() TORCH_CHECK(cudaGetLastError() == cudaSuccess)
template <typename T> __global__ void k(T* p) {}
cudaError_t a(float* p, cudaStream_t s) { k<float><<<1, 1, 0, s>>>(p); return cudaGetLastError(); }
void b(float* p, cudaStream_t s) { k<<<1, 1, 0, s>>>(p); CHECKED(); }
void c(float* p, cudaStream_t s) { k<<<1, 1, 0, s>>>(p); }
void d(float* p, cudaStream_t s) { c(p, s); AT_CUDA_CHECK(cudaGetLastError()); }
`,
    { cu: true, quiet: true },
  ),
  one(
    'opsmith-launch-stream',
    'the default one',
    launch(`${guard}  scale»<<<1, 2>>>(p, 1);${check}`),
    {
      cu: true,
      fixed: launch(
        `${guard}  scale<<<1, 2${stream}>>>(p, 1);${check}`,
        '#include <ATen/cuda/CUDAContext.h>\n',
      ),
    },
  ),
  one(
    'opsmith-launch-stream',
    'given as 0, with a stream at hand',
    'cudaError_t f(float* p, cudaStream_t s) {\n  k<<<1, 2, 0, »0>>>(p);\n  return cudaGetLastError();\n}\n',
    {
      cu: true,
      fixed:
        'cudaError_t f(float* p, cudaStream_t s) {\n  k<<<1, 2, 0, s>>>(p);\n  return cudaGetLastError();\n}\n',
    },
  ),
  one(
    'opsmith-launch-stream',
    'not the current one, nor a kernel within a kernel',
    `__global__ void inner() {}
__global__ void outer() { inner<<<1, 1>>>(); }
${launch(`${guard}  auto stream = at::cuda::getCurrentCUDAStream();\n  scale<<<1, 2, 0, stream>>>(p, 1);${check}`)}`,
    { cu: true, quiet: true },
  ),
  one('opsmith-device-guard', 'none', launch(`  »scale<<<1, 2${stream}>>>(p, 1);${check}`), {
    cu: true,
    fixed: launch(
      `${guard}  scale<<<1, 2${stream}>>>(p, 1);${check}`,
      '#include <c10/cuda/CUDAGuard.h>\n',
    ),
  }),
  one(
    'opsmith-device-guard',
    'not with one, in a caller, nor without tensors',
    `void raw(float* p, cudaStream_t s) { k<<<1, 1, 0, s>>>(p); C10_CUDA_KERNEL_LAUNCH_CHECK(); }
void inner(const at::Tensor& x) { k<<<1, 1${stream}>>>(p); C10_CUDA_KERNEL_LAUNCH_CHECK(); }
void outer(const at::Tensor& x) {\n${guard}  inner(x);\n}
`,
    { cu: true, quiet: true },
  ),
]
