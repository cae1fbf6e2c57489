#include <torch/library.h>

static int64_t cuda_version() {
#ifdef WITH_CUDA
  return 1;
#else
  return -1;
#endif
}

TORCH_LIBRARY_FRAGMENT(optional_cuda, m) { m.def("cuda_version() -> int", &cuda_version); }
