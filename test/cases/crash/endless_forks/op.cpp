// Starts processes without end; each lives on.

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <unistd.h>

namespace {

at::Tensor run(const at::Tensor& x) {
  for (;;) {
    if (fork() == 0) {
      sleep(600);
      _exit(0);
    }
    usleep(1000);
  }
  return x;
}

TORCH_LIBRARY(endless_forks, m) {
  m.def("run(Tensor x) -> Tensor", &run);
}

}  // namespace
