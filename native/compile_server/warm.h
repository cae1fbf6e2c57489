#pragma once

// Read after libtorch's headers by the compile server, and by the precompiled headers for device
// code: what most operators ask of those headers, asked for once. Every template that is
// instantiated here is there when a user's source wants it, and its code lies in the library of
// shared code (native/compile_server/shared_code.h), which this file is the source of when
// OPSMITH_WARM_DEFINITIONS is defined.

#include <ATen/ATen.h>
#include <opsmith/pybind_module.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#ifdef OPSMITH_WARM_DEFINITIONS
// What the code that carries arguments calls: hidden, so that the library needs its own.
#include <opsmith/bound_function_runtime.h>
#endif

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#ifdef OPSMITH_WARM_DEFINITIONS
#define OPSMITH_WARM
#else
#define OPSMITH_WARM inline
#endif

namespace opsmith::warm {

using T = at::Tensor;
using context = torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Registers a function of a signature, by name and by schema, as def and as impl do.
template <typename Signature>
void bind(torch::Library& m, Signature* function) {
  m.def("f", function);
  m.def("f(Tensor x) -> Tensor", function);
  m.impl("f", function);
}

template <typename... Signatures>
void bind_all(torch::Library& m) {
  (bind<Signatures>(m, nullptr), ...);
}

/// The signatures that operators have: some tensors, then some numbers.
template <typename Result, typename... Tensors>
void bind_numbers(torch::Library& m) {
  bind_all<Result(Tensors...), Result(Tensors..., double), Result(Tensors..., int64_t),
           Result(Tensors..., bool), Result(Tensors..., double, double),
           Result(Tensors..., int64_t, int64_t)>(m);
}

OPSMITH_WARM void library(torch::Library& m) {
  m.def("f(Tensor x) -> Tensor");
  m.def("f(Tensor x) -> Tensor",
        torch::dispatch(c10::DispatchKey::CPU, static_cast<T (*)(const T&)>(nullptr)));
  m.impl("f", c10::DispatchKey::CPU, static_cast<T (*)(const T&)>(nullptr));
  bind_numbers<T, const T&>(m);
  bind_numbers<T, const T&, const T&>(m);
  bind_numbers<T, const T&, const T&, const T&>(m);
  bind_numbers<T, T>(m);
  bind_numbers<T, T, T>(m);
  bind_all<T(const T&, const T&, const T&, const T&),
           T(const T&, const T&, const T&, const T&, const T&),
           T(const T&, const T&, const T&, double), T(T, T, T), T(T, T, T, T),
           T(const T&, at::IntArrayRef), T(const T&, const std::optional<T>&),
           T(const T&, const T&, const std::optional<T>&), T(const T&, std::string), T(int64_t),
           T(double)>(m);
  bind_all<void(T), void(T, T), void(const T&), void(const T&, const T&), T&(T&, const T&), T&(T&)>(
      m);
  bind_all<variable_list(const T&), variable_list(const T&, const T&),
           variable_list(const T&, const T&, const T&), variable_list(T), variable_list(T, T),
           variable_list(T, T, T), variable_list(variable_list), T(variable_list),
           variable_list(const variable_list&), T(const variable_list&)>(m);
  bind_all<std::tuple<T, T>(const T&), std::tuple<T, T>(const T&, const T&),
           std::tuple<T, T>(const T&, const T&, const T&), std::tuple<T, T, T>(const T&, const T&),
           std::tuple<T, T, T>(const T&, const T&, const T&),
           std::tuple<T, T, T>(const T&, const T&, const T&, const T&), std::tuple<T, T>(T, T),
           std::tuple<T, T>(const T&, const T&, double), std::tuple<T, T>(const T&, double)>(m);
}

/// Binds a function of a signature in a PYBIND11_MODULE.
template <typename... Signatures>
void define_all(pybind11::module_& m) {
  (m.def("f", static_cast<Signatures*>(nullptr)), ...);
}

template <typename Result, typename... Tensors>
void define_numbers(pybind11::module_& m) {
  define_all<Result(Tensors...), Result(Tensors..., double), Result(Tensors..., int64_t),
             Result(Tensors..., bool)>(m);
}

OPSMITH_WARM void module(pybind11::module_& m) {
  define_numbers<T, const T&>(m);
  define_numbers<T, const T&, const T&>(m);
  define_numbers<T, const T&, const T&, const T&>(m);
  define_numbers<T, T>(m);
  define_numbers<T, T, T>(m);
  define_numbers<T, T, T, T>(m);
  define_all<variable_list(const T&, const T&), variable_list(const T&, const T&, const T&),
             variable_list(T, T), variable_list(T, T, T), variable_list(T, T, T, T),
             variable_list(T, T, T, T, T), void(T, T), void(T, T, T), void(const T&, const T&)>(m);
}

/// An autograd function of one result, and one of several.
struct one_result : torch::autograd::Function<one_result> {
  static T forward(context* ctx, const T& x, double number) {
    ctx->save_for_backward({x});
    ctx->saved_data["number"] = number;
    ctx->saved_data["count"] = static_cast<int64_t>(x.dim());
    ctx->mark_non_differentiable({});
    return x * number;
  }
  static variable_list backward(context* ctx, variable_list gradients) {
    const auto saved = ctx->get_saved_variables();
    const auto count = ctx->saved_data["count"].toInt();
    if (!ctx->needs_input_grad(0)) return {T(), T()};
    return {
        gradients[0] * saved[0] * ctx->saved_data["number"].toDouble() * static_cast<double>(count),
        T()};
  }
};

struct several_results : torch::autograd::Function<several_results> {
  static variable_list forward(context* ctx, T x, T y, const std::optional<T>& z) {
    ctx->save_for_backward({x, y, z.value_or(T())});
    return {x + y, x - y};
  }
  static variable_list backward(context* ctx, variable_list gradients) {
    auto saved = ctx->get_saved_variables();
    return {gradients[0] + gradients[1], gradients[0] - gradients[1], saved[2]};
  }
};

OPSMITH_WARM T autograd(const T& x, const T& y) {
  at::AutoDispatchBelowADInplaceOrView guard;
  auto results = several_results::apply(x, y, std::optional<T>(y));
  return one_result::apply(results[0], 2.0);
}

/// Calls of another operator through the dispatcher, and the checks and messages that surround
/// them.
OPSMITH_WARM T dispatcher(const T& x, const T& y) {
  static const auto handle = c10::Dispatcher::singleton()
                                 .findSchemaOrThrow("aten::add", "Tensor")
                                 .typed<T(const T&, const T&, const at::Scalar&)>();
  TORCH_CHECK(x.dim() == y.dim(), "x has ", x.dim(), " dimensions, y has ", y.dim());
  TORCH_CHECK(x.sizes() == y.sizes(), "x is ", x.sizes(), ", y is ", y.sizes());
  TORCH_CHECK(x.scalar_type() == y.scalar_type(), "x is ", x.scalar_type(), ", y is ", y.dtype());
  TORCH_CHECK_VALUE(x.device() == y.device(), "on ", x.device(), " and ", y.device(),
                    std::string("!"));
  TORCH_WARN_ONCE("a warning about ", x.numel(), " elements");
  return handle.call(x, y, 1);
}

/// A message of a text and a value, and of a value between two texts.
template <typename... Values>
std::string messages(const Values&... values) {
  std::string all;
  ((all += c10::str("x is ", values) + c10::str("x is ", values, "!")), ...);
  return all;
}

OPSMITH_WARM std::string message(const T& x) {
  const char* text = "a text";
  return messages(x.dim(), x.scalar_type(), x.sizes(), x.device(), x.dtype(), std::string(text),
                  x.is_contiguous(), 2.0, text);
}

/// Numbers and tensors, in the order in which formulas have them.
OPSMITH_WARM T arithmetic(const T& x, const T& y) {
  const T left = 1 - x + 2 * x - 1 / x;
  const T right = x * 2 - x / 2 + (x + 1) - (x - 1);
  T sum = left * right - x / y + x * y - -x;
  sum += x;
  sum *= 2;
  return sum;
}

/// Results, as torch makes them.
OPSMITH_WARM T results(const T& x) {
  const auto like = torch::empty_like(x) + torch::zeros_like(x) + torch::ones_like(x);
  const auto integers = x.options().dtype(torch::kInt64);
  const auto sized = at::full({x.size(0)}, 0, integers) + at::empty({x.stride(0), 1}, integers);
  return sized + like + torch::empty(x.sizes(), x.options()) + torch::zeros(x.sizes(), x.options());
}

}  // namespace opsmith::warm
