#pragma once

#include <ATen/ATen.h>

at::Tensor gather_cuda(const at::Tensor& source, const at::Tensor& index);
