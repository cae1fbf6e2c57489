#pragma once

// What an operator on libtorch's stable ABI starts from. libtorch before 2.10 has less of it.

#if __has_include(<torch/csrc/stable/accelerator.h>)
#include <torch/csrc/stable/accelerator.h>
#endif
#if __has_include(<torch/csrc/stable/library.h>)
#include <torch/csrc/stable/library.h>
#endif
#if __has_include(<torch/csrc/stable/ops.h>)
#include <torch/csrc/stable/ops.h>
#endif
#if __has_include(<torch/csrc/stable/tensor.h>)
#include <torch/csrc/stable/tensor.h>
#endif
#if __has_include(<torch/headeronly/core/Dispatch.h>)
#include <torch/headeronly/core/Dispatch.h>
#endif
#if __has_include(<torch/headeronly/core/ScalarType.h>)
#include <torch/headeronly/core/ScalarType.h>
#endif
#if __has_include(<torch/headeronly/util/Exception.h>)
#include <torch/headeronly/util/Exception.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
