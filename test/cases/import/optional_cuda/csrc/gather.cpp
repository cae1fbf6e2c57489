#include "cpu/gather_cpu.h"

#include <torch/library.h>
#ifdef WITH_CUDA
#include "cuda/gather_cuda.h"
#endif

at::Tensor gather(const at::Tensor& source, const at::Tensor& index) {
#ifdef WITH_CUDA
  if (source.is_cuda()) return gather_cuda(source, index);
#endif
  return gather_cpu(source, index);
}

TORCH_LIBRARY_FRAGMENT(optional_cuda, m) {
  m.def("gather(Tensor source, Tensor index) -> Tensor", &gather);
}
