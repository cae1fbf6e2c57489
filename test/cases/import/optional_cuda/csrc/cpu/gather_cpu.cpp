#include "gather_cpu.h"

at::Tensor gather_cpu(const at::Tensor& source, const at::Tensor& index) {
  return source.index_select(0, index);
}
