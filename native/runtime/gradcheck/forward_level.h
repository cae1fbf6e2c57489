// A level of forward-mode AD, open as long as this lives.
#pragma once

#include <ATen/ops/_make_dual.h>
#include <ATen/ops/_unpack_dual.h>
#include <torch/csrc/autograd/forward_grad.h>

#include <tuple>

#include "runtime/gradcheck/jvp_decompositions.h"

namespace opsmith {

class ForwardLevel {
 public:
  ForwardLevel() : index_(torch::autograd::ForwardADLevel::get_next_idx()) {
    register_jvp_decompositions();
  }
  ~ForwardLevel() { torch::autograd::ForwardADLevel::release_idx(index_); }
  ForwardLevel(const ForwardLevel&) = delete;
  ForwardLevel& operator=(const ForwardLevel&) = delete;

  at::Tensor make_dual(const at::Tensor& primal, const at::Tensor& tangent) const {
    return at::_make_dual(primal, tangent, static_cast<int64_t>(index_));
  }

  // Undefined when the tensor has no tangent.
  at::Tensor tangent_of(const at::Tensor& dual) const {
    return std::get<1>(at::_unpack_dual(dual, static_cast<int64_t>(index_)));
  }

 private:
  uint64_t index_;
};

}  // namespace opsmith
