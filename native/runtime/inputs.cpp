#include "runtime/inputs.h"

#include <ATen/Context.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sparse_coo_tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cmath>
#include <limits>

#include "runtime/driver_report.h"
#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/json_text.h"
#include "runtime/kept_values.h"

namespace opsmith {
namespace {

[[noreturn]] void invalid(const InputSpec& spec, const std::string& what) {
  throw Failure(ErrorCode::input_invalid, "input " + spec.name + ": " + what);
}

// The shape that nesting implies, from the first element of each level.
void read_shape(const Literal& values, std::vector<int64_t>& shape) {
  const Literal* level = &values;
  while (const auto* list = std::get_if<Literal::List>(&level->value)) {
    shape.push_back(static_cast<int64_t>(list->size()));
    if (list->empty()) return;
    level = &list->front();
  }
}

double read_number(const InputSpec& spec, const Literal& value, const std::string& place) {
  if (const auto* number = std::get_if<double>(&value.value)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value.value)) return static_cast<double>(*number);
  if (const auto* flag = std::get_if<bool>(&value.value)) return *flag ? 1.0 : 0.0;
  if (const auto* text = std::get_if<std::string>(&value.value)) {
    if (*text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (*text == "inf") return std::numeric_limits<double>::infinity();
    if (*text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  invalid(spec, place + " is " + quote(value) + ", not a number");
}

void read_numbers(const InputSpec& spec, const Literal& value, const std::vector<int64_t>& shape,
                  size_t depth, const std::string& place, std::vector<double>& numbers) {
  const auto* list = std::get_if<Literal::List>(&value.value);
  if (depth == shape.size()) {
    if (list != nullptr) invalid(spec, place + " is nested more deeply than the values before it");
    numbers.push_back(read_number(spec, value, place));
    return;
  }
  if (list == nullptr || static_cast<int64_t>(list->size()) != shape[depth]) {
    invalid(spec,
            place +
                (list ? " has " + std::to_string(list->size()) : " is a number, not a list of") +
                (list ? " elements, but the lists before this list have " : " ") +
                std::to_string(shape[depth]) + (list ? "" : " elements"));
  }
  for (size_t i = 0; i < list->size(); ++i) {
    read_numbers(spec, (*list)[i], shape, depth + 1, place + "[" + std::to_string(i) + "]",
                 numbers);
  }
}

void check_fits(const InputSpec& spec, const std::vector<double>& numbers, at::ScalarType dtype) {
  if (!c10::isIntegralType(dtype, /*includeBool=*/false)) return;
  for (double number : numbers) {
    if (!(std::abs(number) < 9.3e18) || number != std::trunc(number)) {
      invalid(spec, "values contain " + shortest_text(number) + ", which " + dtype_name(dtype) +
                        " cannot hold; choose a floating-point dtype, or integers");
    }
  }
}

at::Tensor make_literal(const InputSpec& spec, at::ScalarType dtype) {
  std::vector<int64_t> shape;
  read_shape(*spec.values, shape);
  std::vector<double> numbers;
  read_numbers(spec, *spec.values, shape, 0, "values", numbers);
  check_fits(spec, numbers, dtype);
  auto tensor = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
  std::copy(numbers.begin(), numbers.end(), tensor.mutable_data_ptr<double>());
  // An integer goes through int64, which holds every integer that a double can write.
  if (c10::isIntegralType(dtype, false)) tensor = tensor.to(at::kLong);
  tensor = tensor.to(dtype);
  if (spec.shape && *spec.shape != shape) {
    int64_t count = 1;
    for (int64_t size : *spec.shape)
      count *= size;
    if (count != tensor.numel()) {
      invalid(spec, "shape " + c10::str(at::IntArrayRef(*spec.shape)) + " needs " +
                        std::to_string(count) + " values, but " + std::to_string(tensor.numel()) +
                        " are given");
    }
    tensor = tensor.reshape(*spec.shape);
  }
  return tensor;
}

int64_t whole(const InputSpec& spec, const char* field, double value) {
  if (value != std::trunc(value) || std::abs(value) > 9e15) {
    invalid(spec, std::string(field) + " of randint must be an integer");
  }
  return static_cast<int64_t>(value);
}

void require_floating(const InputSpec& spec, at::ScalarType dtype) {
  if (c10::isFloatingType(dtype) || c10::isComplexType(dtype)) return;
  invalid(spec, "the distribution " + std::string(enum_text(spec.distribution)) +
                    " cannot make values of dtype " + spec.dtype +
                    "; use randint, arange, zeros, ones, full or eye");
}

at::Tensor make_distribution(const InputSpec& spec, at::ScalarType dtype,
                             at::Generator& generator) {
  if (!spec.shape) invalid(spec, "needs a shape or values");
  const auto& shape = *spec.shape;
  const auto options = at::TensorOptions().dtype(dtype);
  const double low = spec.low.value_or(0.0);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;

  switch (spec.distribution) {
    case Distribution::randn: {
      require_floating(spec, dtype);
      auto tensor = at::randn(shape, generator, options);
      if (spec.std && *spec.std != 1.0) tensor.mul_(*spec.std);
      if (spec.mean && *spec.mean != 0.0) tensor.add_(*spec.mean);
      return tensor;
    }
    case Distribution::rand: {
      require_floating(spec, dtype);
      const double high = spec.high.value_or(low + 1.0);
      if (!(high >= low)) invalid(spec, "high is less than low");
      auto tensor = at::rand(shape, generator, options);
      if (high - low != 1.0) tensor.mul_(high - low);
      if (low != 0.0) tensor.add_(low);
      return tensor;
    }
    case Distribution::randint: {
      const int64_t first = whole(spec, "low", low);
      const int64_t end =
          whole(spec, "high", spec.high.value_or(dtype == at::kBool ? 2.0 : low + 10.0));
      if (end <= first) invalid(spec, "high must be greater than low for randint");
      return at::randint(first, end, shape, generator, options);
    }
    case Distribution::zeros:
      return at::zeros(shape, options);
    case Distribution::ones:
      return at::ones(shape, options);
    case Distribution::full:
      return at::full(shape, low, options);
    case Distribution::arange:
      return at::arange(low, low + static_cast<double>(count), options).reshape(shape);
    case Distribution::linspace:
      return at::linspace(low, spec.high.value_or(low + 1.0), count, options).reshape(shape);
    case Distribution::eye:
      if (shape.size() != 2)
        invalid(spec,
                "eye needs two dimensions, but the shape has " + std::to_string(shape.size()));
      return at::eye(shape[0], shape[1], options);
  }
  invalid(spec, "has no distribution");
}

at::Tensor make_strided(const InputSpec& spec, at::ScalarType dtype, at::Generator& generator) {
  return spec.values ? make_literal(spec, dtype) : make_distribution(spec, dtype, generator);
}

at::Layout torch_layout(InputLayout layout) {
  switch (layout) {
    case InputLayout::strided:
      return at::kStrided;
    case InputLayout::sparse_coo:
      return at::kSparse;
    case InputLayout::sparse_csr:
      return at::kSparseCsr;
    case InputLayout::sparse_csc:
      return at::kSparseCsc;
    case InputLayout::sparse_bsr:
      return at::kSparseBsr;
    case InputLayout::sparse_bsc:
      return at::kSparseBsc;
  }
  return at::kStrided;
}

// [dimensions, specified elements], as torch.sparse_coo_tensor takes them.
at::Tensor read_indices(const InputSpec& spec) {
  if (!spec.shape) invalid(spec, "indices need a shape");
  if (spec.density) invalid(spec, "indices and density cannot be given together");
  const auto& shape = *spec.shape;
  if (spec.indices->size() != shape.size() || shape.empty()) {
    invalid(spec, "indices has " + std::to_string(spec.indices->size()) +
                      " lists, but the shape has " + std::to_string(shape.size()) +
                      " dimensions: give one list for each dimension");
  }
  const size_t count = spec.indices->front().size();
  auto indices = at::empty({static_cast<int64_t>(shape.size()), static_cast<int64_t>(count)},
                           at::TensorOptions().dtype(at::kLong));
  auto* into = indices.mutable_data_ptr<int64_t>();
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const auto& along = (*spec.indices)[dim];
    if (along.size() != count) {
      invalid(spec, "indices[" + std::to_string(dim) + "] has " + std::to_string(along.size()) +
                        " elements, but indices[0] has " + std::to_string(count));
    }
    for (const int64_t index : along) {
      if (index < 0 || index >= shape[dim]) {
        invalid(spec, "indices[" + std::to_string(dim) + "] contains " + std::to_string(index) +
                          ", but dimension " + std::to_string(dim) + " has " +
                          std::to_string(shape[dim]) + " elements");
      }
      *into++ = index;
    }
  }
  return indices;
}

at::Tensor make_coo(const InputSpec& spec, at::ScalarType dtype, at::Generator& generator) {
  if (spec.indices) {
    const auto indices = read_indices(spec);
    auto listed = spec;
    listed.shape = {indices.size(1)};
    return at::sparse_coo_tensor(indices, make_strided(listed, dtype, generator), *spec.shape);
  }
  if (!spec.density && !spec.values) {
    invalid(spec, std::string(enum_text(*spec.layout)) +
                      " needs density, indices or values, which choose the specified elements");
  }
  const auto dense = make_strided(spec, dtype, generator);
  if (dense.dim() == 0)
    invalid(spec, std::string(enum_text(*spec.layout)) + " needs at least one dimension");
  const auto chosen =
      spec.density ? at::rand(dense.sizes(), generator, at::TensorOptions().dtype(at::kDouble))
                         .lt(*spec.density)
                   : dense.ne(0);
  return at::sparse_coo_tensor(chosen.nonzero().t().contiguous(), dense.masked_select(chosen),
                               dense.sizes())
      ._coalesced_(true);
}

at::Tensor make_sparse(const InputSpec& spec, at::ScalarType dtype, at::Generator& generator) {
  const auto layout = torch_layout(*spec.layout);
  if (spec.density && !(*spec.density >= 0 && *spec.density <= 1)) {
    invalid(spec,
            "density must be a number from 0 to 1: the fraction of specified elements of the "
            "sparse tensor");
  }
  const bool blocked = layout == at::kSparseBsr || layout == at::kSparseBsc;
  if (blocked != spec.blocksize.has_value()) {
    invalid(spec, blocked
                      ? std::string(enum_text(*spec.layout)) + " needs a blocksize, such as [2, 2]"
                      : "blocksize is for sparse_bsr and sparse_bsc only");
  }
  auto coo = make_coo(spec, dtype, generator);
  if (layout == at::kSparse) return coo;
  if (coo.dim() != 2) {
    invalid(spec, std::string(enum_text(*spec.layout)) +
                      " needs two dimensions, but the shape is " + c10::str(coo.sizes()));
  }
  if (!blocked) return coo.to_sparse(layout, std::nullopt, std::nullopt);
  const auto& block = *spec.blocksize;
  if (block.size() != 2 || block[0] < 1 || block[1] < 1 || coo.size(0) % block[0] != 0 ||
      coo.size(1) % block[1] != 0) {
    invalid(spec, "blocksize " + c10::str(at::IntArrayRef(block)) + " does not divide the shape " +
                      c10::str(coo.sizes()));
  }
  return coo.to_sparse(layout, block, std::nullopt);
}

}  // namespace

namespace {

// In a clause. libtorch itself says it in a warning at most.
std::string why_no_cuda() {
  if (!c10::impl::hasDeviceGuardImpl(at::kCUDA)) return "this libtorch is a CPU build";
  const auto report = report_driver();
  if (!report.why.empty()) return report.why;
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  return "NVIDIA’s driver has " + std::to_string(report.devices.size()) +
         " device(s) and supports CUDA up to " + version(report.version) +
         ", so libtorch was probably built with a newer CUDA";
}

}  // namespace

at::Device parse_device(const std::string& name) {
  const Stage stage(ErrorCode::input_invalid, "device " + name);
  const at::Device device(name);
  if (device.is_privateuseone() && !c10::impl::hasDeviceGuardImpl(device.type())) {
    throw Failure(ErrorCode::device_unavailable,
                  "No backend is registered for the device " + name + ".",
                  "Load the library that registers the backend, or set the device to cpu.");
  }
  if (!device.is_cuda()) return device;
  if (!at::globalContext().hasCUDA()) {
    throw Failure(ErrorCode::device_unavailable,
                  "libtorch cannot use a CUDA device on this machine: " + why_no_cuda() + ".",
                  "Set the device to cpu, or find the cause with Doctor: opsmith doctor --gpu");
  }
  const auto count = at::detail::getCUDAHooks().deviceCount();
  if (device.index() >= count) {
    throw Failure(ErrorCode::device_unavailable, "There is no device " + name +
                                                     ": this machine has " + std::to_string(count) +
                                                     " CUDA device(s).");
  }
  return device;
}

namespace {

bool is_drawn(const InputSpec& spec) {
  return !spec.values &&
         (spec.distribution == Distribution::randn || spec.distribution == Distribution::rand ||
          spec.distribution == Distribution::randint);
}

}  // namespace

at::Tensor make_input(const InputSpec& spec) {
  const auto dtype = dtype_from_name(spec.dtype);
  if (!dtype) invalid(spec, "no such dtype: " + spec.dtype);
  const auto device = parse_device(spec.device);
  const Stage stage(ErrorCode::input_invalid, "input " + spec.name);
  const bool strided = is_strided(spec);
  if (strided && (spec.density || spec.indices || spec.blocksize)) {
    invalid(spec,
            "density, indices and blocksize are only for sparse layouts: also set \"layout\"");
  }
  const auto make = [&] {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(
        static_cast<uint64_t>(spec.seed.value_or(spec.position)));
    return strided ? make_strided(spec, *dtype, generator) : make_sparse(spec, *dtype, generator);
  };
  auto tensor = strided && is_drawn(spec) ? drawn_values(spec, make) : make();
  if (!device.is_cpu()) tensor = tensor.to(device);
  if (spec.requires_grad) {
    if (!c10::isFloatingType(*dtype) && !c10::isComplexType(*dtype)) {
      invalid(spec, spec.dtype + " cannot require grad; use a floating-point or complex dtype");
    }
    tensor.requires_grad_();
  }
  return tensor;
}

}  // namespace opsmith
