// The operators' schemas. Each operator has one defect, in the file that its comment names.

#include <torch/library.h>

TORCH_LIBRARY(broken_kernels, m) {
  // memory.cu
  m.def("differences(Tensor x) -> Tensor");
  m.def("moving_sum(Tensor x) -> Tensor");
  m.def("sum_of_rows(Tensor x) -> Tensor");
  m.def("divide_by_mean(Tensor x) -> Tensor");
  m.def("prefix_of_pairs(Tensor x) -> Tensor");
  m.def("polynomial(Tensor x) -> Tensor");
  m.def("relative_to_first(Tensor x) -> Tensor");
  // order.cu
  m.def("mirrored_sum(Tensor x) -> Tensor");
  m.def("smooth(Tensor x) -> Tensor");
  m.def("count_positive(Tensor x) -> Tensor");
  m.def("sum_of_warps(Tensor x) -> Tensor");
  m.def("maximum_of_blocks(Tensor x) -> Tensor");
  m.def("sum_of_all(Tensor x) -> Tensor");
  // launch.cu
  m.def("transpose(Tensor x) -> Tensor");
  m.def("sorted_blocks(Tensor x) -> Tensor");
  m.def("twice(Tensor x) -> Tensor");
  m.def("twice_and_one(Tensor x) -> Tensor");
  m.def("noise(Tensor x, int stride) -> Tensor");
}
