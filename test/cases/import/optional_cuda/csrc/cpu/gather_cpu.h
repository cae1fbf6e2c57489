#pragma once

#include <ATen/ATen.h>

at::Tensor gather_cpu(const at::Tensor& source, const at::Tensor& index);
