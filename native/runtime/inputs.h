// Tensors made from the input specifications of a project.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/enum_text.h"
#include "runtime/literal.h"

namespace opsmith {

// full: every element is `low`.
enum class Distribution { randn, rand, randint, zeros, ones, eye, arange, linspace, full };
constexpr auto texts_of(Distribution) {
  return enum_texts<Distribution>({{Distribution::randn, "randn"},
                                   {Distribution::rand, "rand"},
                                   {Distribution::randint, "randint"},
                                   {Distribution::zeros, "zeros"},
                                   {Distribution::ones, "ones"},
                                   {Distribution::eye, "eye"},
                                   {Distribution::arange, "arange"},
                                   {Distribution::linspace, "linspace"},
                                   {Distribution::full, "full"}});
}

// torch's layouts that an input may have.
enum class InputLayout { strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc };
constexpr auto texts_of(InputLayout) {
  return enum_texts<InputLayout>({{InputLayout::strided, "strided"},
                                  {InputLayout::sparse_coo, "sparse_coo"},
                                  {InputLayout::sparse_csr, "sparse_csr"},
                                  {InputLayout::sparse_csc, "sparse_csc"},
                                  {InputLayout::sparse_bsr, "sparse_bsr"},
                                  {InputLayout::sparse_bsc, "sparse_bsc"}});
}

// contract/manifest.ts's inputSpec, with its place in the record.
struct InputSpec {
  std::string name;
  int64_t position = 0;
  std::optional<std::vector<int64_t>> shape;
  std::string dtype = "float32";
  std::string device = "cpu";
  Distribution distribution = Distribution::randn;
  std::optional<int64_t> seed;  // absent: position
  bool requires_grad = false;
  std::optional<double> low, high, mean, std;
  std::optional<Literal> values;
  // Of sparse layouts: which elements are specified.
  std::optional<InputLayout> layout;  // absent: strided
  std::optional<double> density;
  std::optional<std::vector<std::vector<int64_t>>> indices;  // a list for each dimension
  std::optional<std::vector<int64_t>> blocksize;             // sparse_bsr and sparse_bsc
};

inline bool is_strided(const InputSpec& spec) {
  return spec.layout.value_or(InputLayout::strided) == InputLayout::strided;
}

// Created on the CPU with a separate generator, then moved to the device. Seed, shape and dtype
// give the same values as torch.manual_seed(seed) and torch.randn, rand or randint in Python. rand
// is scaled as rand * (high - low) + low, randn as randn * std + mean, each only where they are not
// the defaults (0, 1); randint is [0, 10) by default. Of a sparse layout, the specified elements
// are: with `indices`, those, as torch.sparse_coo_tensor(indices, values, shape) has them (an
// element named twice is their sum); with `density`, where torch.rand(shape, dtype=float64), drawn
// after the values, lies below it; else those of `values` that are not 0. Throws Failure:
// input.invalid, device.unavailable.
at::Tensor make_input(const InputSpec& spec);

// Throws Failure (device.unavailable) for a CUDA device that is not there, input.invalid for a bad
// name.
at::Device parse_device(const std::string& name);

}  // namespace opsmith
