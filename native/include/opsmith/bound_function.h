#pragma once

// Registers any C++ function or lambda with the dispatcher: schema from its types, names and
// defaults from annotations, and a boxed kernel that converts by carrier<T>.
//
// What each signature instantiates is kept small, since it is compiled again at every edit: a table
// of type getters and one function. All else is in bound_function_runtime.h, which is part of this
// header unless OPSMITH_SEPARATE_RUNTIME is defined; then opsmith/bound_function.cpp, compiled
// once, is linked beside the sources.

#include <ATen/core/stack.h>
#include <opsmith/carry.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(hidden)
namespace opsmith {

template <typename T>
constexpr bool check_carried() {
  using plain = std::remove_cvref_t<T>;
#ifndef OPSMITH_KNOWS_UNAVAILABLE
  static_assert(
      !std::is_base_of_v<python_only, plain>,
      "opsmith: Python objects (py::object, py::dict, py::list, py::array, ...) cannot be "
      "parameters or results of an operator, which is called without Python. Use "
      "torch::Tensor, numbers, std::string, std::vector, std::map or c10::IValue.");
#endif
  static_assert(std::is_base_of_v<python_only, plain> || carrier<plain>::supported,
                "opsmith: the PyTorch dispatcher cannot carry this parameter or result type. Use "
                "torch::Tensor, numbers, bool, std::string, std::vector, std::optional, std::tuple "
                "or std::map of these, or c10::intrusive_ptr of a class registered with "
                "torch::class_.");
  return !std::is_base_of_v<python_only, plain> && carrier<plain>::supported;
}

/// The schema's type of a parameter or result; the fake one is the TorchScript compiler's view.
using type_getter = c10::TypePtr (*)(bool fake);

/// Takes the arguments off the stack, calls, and leaves the results there.
using invoker = void (*)(void* callable, const c10::FunctionSchema& schema,
                         torch::jit::Stack& stack);

/// A function with its type forgotten. `callable` is the function's address, or an object that
/// `destroy` deletes when the operator goes.
struct erased_function {
  void* callable;
  void (*destroy)(void*);
  invoker invoke;
  const type_getter* parameters;
  std::size_t parameter_count;
  const type_getter* results;
  std::size_t result_count;
};

/// py::arg: a name, and a default or null.
struct parameter_note {
  const char* name;
  const c10::IValue* default_value;
};

/// What m.def was told about a function besides its types.
struct annotations {
  const parameter_note* parameters;  ///< none, or one for each parameter
  std::size_t parameter_count;
  std::size_t keyword_only_from;
  const char* doc;  ///< "" for none
};

/// A namespace's registrations in this library; they are withdrawn when it goes.
class function_registry {
 public:
  explicit function_registry(const char* ns);
  ~function_registry();
  function_registry(const function_registry&) = delete;
  function_registry& operator=(const function_registry&) = delete;

  /// Throws c10::Error where a default does not fit its parameter.
  void add(const char* name, erased_function function, const annotations& notes, const char* file,
           int line);
  void document(const char* text);

 private:
  struct contents;
  contents* contents_;
};

template <typename R>
struct result_carrier {
  static constexpr bool supported() { return check_carried<R>(); }
  static constexpr std::size_t count = 1;
  static constexpr type_getter types[] = {&carrier<R>::type};
  static void push(torch::jit::Stack& stack, R&& result) {
    stack.emplace_back(carrier<R>::give(std::move(result)));
  }
};
template <>
struct result_carrier<void> {
  static constexpr bool supported() { return true; }
  static constexpr std::size_t count = 0;
  static constexpr type_getter types[] = {nullptr};
};
/// A tuple or pair is as many results.
template <typename Tuple, typename... R>
struct results_carrier {
  static constexpr bool supported() { return (check_carried<R>() && ... && true); }
  static constexpr std::size_t count = sizeof...(R);
  static constexpr type_getter types[] = {&carrier<R>::type..., nullptr};
  static void push(torch::jit::Stack& stack, Tuple&& result) {
    std::apply([&](R&... each) { (stack.emplace_back(carrier<R>::give(std::move(each))), ...); },
               result);
  }
};
template <typename... R>
struct result_carrier<std::tuple<R...>> : results_carrier<std::tuple<R...>, R...> {};
template <typename A, typename B>
struct result_carrier<std::pair<A, B>> : results_carrier<std::pair<A, B>, A, B> {};

/// The parameter and result types of a function pointer, a lambda or another function object.
template <typename F>
struct signature_of : signature_of<decltype(&F::operator())> {};
template <typename R, typename... P>
struct signature_of<R (*)(P...)> {
  using pointer = R (*)(P...);
  using result = result_carrier<std::remove_cvref_t<R>>;
  static constexpr std::size_t arity = sizeof...(P);
  static constexpr bool supported() {
    const bool parameters = (check_carried<P>() && ... && true);
    return result::supported() && parameters;
  }

  template <typename F>
  static erased_function erase(F&& f) {
    using callable = std::decay_t<F>;
    static constexpr type_getter parameters[] = {&carrier<std::remove_cvref_t<P>>::type...,
                                                 nullptr};
    erased_function erased{nullptr,      nullptr,       nullptr,      parameters,
                           sizeof...(P), result::types, result::count};
    if constexpr (std::is_convertible_v<callable, pointer>) {
      // Function pointers, and lambdas that capture nothing.
      erased.callable = reinterpret_cast<void*>(static_cast<pointer>(f));
      erased.invoke = [](void* function, const c10::FunctionSchema& schema,
                         torch::jit::Stack& stack) {
        call(reinterpret_cast<pointer>(function), schema, stack, std::index_sequence_for<P...>());
      };
    } else {
      erased.callable = new callable(std::forward<F>(f));
      erased.destroy = [](void* object) { delete static_cast<callable*>(object); };
      erased.invoke = [](void* object, const c10::FunctionSchema& schema,
                         torch::jit::Stack& stack) {
        call(*static_cast<callable*>(object), schema, stack, std::index_sequence_for<P...>());
      };
    }
    return erased;
  }

 private:
  template <typename F, std::size_t... I>
  static void call(F&& f, [[maybe_unused]] const c10::FunctionSchema& schema,
                   torch::jit::Stack& stack, std::index_sequence<I...>) {
    [&](typename carrier<std::remove_cvref_t<P>>::held... held) {
      stack.resize(stack.size() - sizeof...(P));
      if constexpr (std::is_void_v<R>) {
        f(pass<P>(held)...);
      } else {
        result::push(stack, f(pass<P>(held)...));
      }
    }(carrier<std::remove_cvref_t<P>>::take(stack[stack.size() - sizeof...(P) + I],
                                            argument_place{schema, I})...);
  }
};
template <typename R, typename... P>
struct signature_of<R (*)(P...) noexcept> : signature_of<R (*)(P...)> {};
template <typename C, typename R, typename... P>
struct signature_of<R (C::*)(P...)> : signature_of<R (*)(P...)> {};
template <typename C, typename R, typename... P>
struct signature_of<R (C::*)(P...) const> : signature_of<R (*)(P...)> {};
template <typename C, typename R, typename... P>
struct signature_of<R (C::*)(P...) noexcept> : signature_of<R (*)(P...)> {};
template <typename C, typename R, typename... P>
struct signature_of<R (C::*)(P...) const noexcept> : signature_of<R (*)(P...)> {};

}  // namespace opsmith
#pragma GCC visibility pop

#ifndef OPSMITH_SEPARATE_RUNTIME
#include <opsmith/bound_function_runtime.h>
#endif
