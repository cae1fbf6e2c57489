// What the operators of this project share. Each wrong one has a single fault; the one called
// right_… next to it does the same without the fault.
#pragma once

#include <ATen/ATen.h>
#include <torch/library.h>

#include <string>
#include <utility>

namespace hidden_faults {

using at::Tensor;

template <class Cpu, class Meta>
void add(torch::Library& library, const std::string& name, const std::string& signature, Cpu cpu,
         Meta meta) {
  library.def((name + signature).c_str());
  library.impl(name.c_str(), torch::dispatch(c10::DispatchKey::CPU, std::move(cpu)));
  library.impl(name.c_str(), torch::dispatch(c10::DispatchKey::Meta, std::move(meta)));
}

inline constexpr const char* of_one = "(Tensor x) -> Tensor";
inline constexpr const char* of_two = "(Tensor x, Tensor y) -> Tensor";

// Elements in row-major order, as double; float32 and float64 in, the same out.
template <class Compute>
Tensor by_place(const Tensor& input, Compute compute) {
  const Tensor x = input.contiguous();
  Tensor out = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "by_place", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < x.numel(); ++i)
      to[i] = compute(from, i, x.numel());
  });
  return out;
}

inline Tensor doubled(const Tensor& x) {
  return by_place(x, [](const auto* from, int64_t i, int64_t) { return 2 * from[i]; });
}

// Row-major, whatever the input's strides.
inline Tensor meta_of_first(const Tensor& x) {
  return at::empty(x.sizes(), x.options());
}
inline Tensor meta_of_two(const Tensor& x, const Tensor&) {
  return at::empty(x.sizes(), x.options());
}
inline Tensor meta_of_number(const Tensor& x) {
  return at::empty({}, x.options());
}

}  // namespace hidden_faults
