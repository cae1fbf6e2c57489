#pragma once

#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>

namespace opsmith {

// While one lives, libtorch's fallback for operators without an autograd kernel is off. With it,
// their outputs require grad, so that backward can warn.
class NoAutogradFallback {
 public:
  NoAutogradFallback() {
    torch::autograd::setAutogradFallbackMode(torch::autograd::AutogradFallbackMode::Nothing);
  }
  ~NoAutogradFallback() { torch::autograd::setAutogradFallbackMode(before_); }
  NoAutogradFallback(const NoAutogradFallback&) = delete;
  NoAutogradFallback& operator=(const NoAutogradFallback&) = delete;

 private:
  torch::autograd::AutogradFallbackMode before_ = torch::autograd::getAutogradFallbackMode();
};

}  // namespace opsmith
