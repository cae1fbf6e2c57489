#pragma once

// The part of pybind11 that extensions use to bind functions, without Python:
//
//   PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
//     m.def("forward", &forward, "3x - y", py::arg("x"), py::arg("alpha") = 1.0);
//   }
//
// registers `<extension name>::forward(Tensor x, float alpha=1.) -> Tensor` with the dispatcher.
// What needs Python objects is a compile error that says what to do instead.

#include <c10/macros/Macros.h>
#include <opsmith/binding.h>
#include <opsmith/bound_function.h>
#include <opsmith/python_only.h>

#include <stdexcept>
#include <string>
#include <utility>

#pragma GCC visibility push(hidden)
namespace pybind11 {

struct arg_v;

/// Name of a parameter; `py::arg("x") = 1.0` gives it a default.
struct arg {
  constexpr explicit arg(const char* name) : name(name) {}
  template <typename T>
  arg_v operator=(T&& value) const;
  arg& noconvert(bool = true) { return *this; }
  arg& none(bool = true) { return *this; }
  const char* name;
};

struct arg_v : arg {
  template <typename T>
  arg_v(const char* name, T&& value, const char* = nullptr)
      : arg(name), value(opsmith_value(std::forward<T>(value))) {}
  arg_v& noconvert(bool = true) { return *this; }
  arg_v& none(bool = true) { return *this; }
  c10::IValue value;

 private:
  template <typename T>
  static c10::IValue opsmith_value(T&& value) {
    using plain = std::decay_t<T>;
    if constexpr (std::is_base_of_v<none_type, plain> || std::is_same_v<plain, std::nullopt_t>) {
      return c10::IValue();
    } else if constexpr (std::is_same_v<plain, c10::DeviceType>) {
      return c10::IValue(c10::Device(value));
    } else if constexpr (std::is_same_v<plain, char*>) {
      return c10::IValue(std::string(value));
    } else if constexpr (opsmith::check_carried<plain>()) {
      return opsmith::carrier<plain>::give(std::forward<T>(value));
    }
  }
};

template <typename T>
arg_v arg::operator=(T&& value) const {
  return arg_v(name, std::forward<T>(value));
}

inline namespace literals {
constexpr arg operator""_a(const char* name, std::size_t) {
  return arg(name);
}
}  // namespace literals

struct doc {
  explicit doc(const char* text) : text(text) {}
  const char* text;
};
struct kw_only {};
struct pos_only {};
enum class return_value_policy {
  automatic,
  automatic_reference,
  take_ownership,
  copy,
  move,
  reference,
  reference_internal
};

/// Operators run without the interpreter's lock; taking and releasing it means nothing here.
struct gil_scoped_release {
  gil_scoped_release() {}
  ~gil_scoped_release() {}
};
struct gil_scoped_acquire {
  gil_scoped_acquire() {}
  ~gil_scoped_acquire() {}
};
template <typename...>
struct call_guard {};
template <typename>
inline constexpr bool is_call_guard = false;
template <typename... T>
inline constexpr bool is_call_guard<call_guard<T...>> = true;

/// Errors that pybind11 turns into Python's exceptions of the same name.
#define OPSMITH_PYBIND_ERROR(name)                 \
  struct name : std::runtime_error {               \
    using std::runtime_error::runtime_error;       \
    explicit name() : std::runtime_error(#name) {} \
  };
OPSMITH_PYBIND_ERROR(value_error)
OPSMITH_PYBIND_ERROR(type_error)
OPSMITH_PYBIND_ERROR(index_error)
OPSMITH_PYBIND_ERROR(key_error)
OPSMITH_PYBIND_ERROR(attribute_error)
OPSMITH_PYBIND_ERROR(stop_iteration)
#undef OPSMITH_PYBIND_ERROR

/// Picks one of several C++ functions of a name: py::overload_cast<int, double>(&f).
template <typename... P>
struct overload_cast_t {
  template <typename R>
  constexpr auto operator()(R (*f)(P...)) const noexcept {
    return f;
  }
};
template <typename... P>
inline constexpr overload_cast_t<P...> overload_cast{};

/// Where m.def was called: the compiler fills it in, so that each operator shows its own line.
struct located_name {
  located_name(const char* name, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : name(name), file(file), line(line) {}
  const char* name;
  const char* file;
  int line;
};

/// The `m` of PYBIND11_MODULE(name, m): a namespace of operators.
class module_ {
 public:
  explicit module_(opsmith::function_registry& registry) : registry_(registry) {}

  template <typename F, typename... Extra>
  module_& def(located_name name, F&& function, const Extra&... extra) {
    using callable = std::decay_t<F>;
    constexpr std::size_t named = (0 + ... + (std::is_base_of_v<arg, Extra> ? 1 : 0));
    using signature = opsmith::signature_of<callable>;
    static_assert(named == 0 || named == signature::arity,
                  "opsmith: name all parameters of the function with py::arg, or none");
    if constexpr (signature::supported()) {
      opsmith::parameter_note parameters[named + 1];
      opsmith::annotations notes{parameters, 0, static_cast<std::size_t>(-1), ""};
      (annotate(notes, parameters, extra), ...);
      registry_.add(name.name, signature::erase(std::forward<F>(function)), notes, name.file,
                    name.line);
    }
    return *this;
  }

  /// m.doc() = "what the module does";
  class doc_setter {
   public:
    explicit doc_setter(opsmith::function_registry& registry) : registry_(registry) {}
    void operator=(const char* text) { registry_.document(text); }

   private:
    opsmith::function_registry& registry_;
  };
  doc_setter doc() { return doc_setter(registry_); }

  OPSMITH_UNAVAILABLE(
      "m.attr sets an attribute of a Python module; an operator library has none. Return the value "
      "from a function bound with m.def.")
  doc_setter attr(const char*) { return doc(); }
  OPSMITH_UNAVAILABLE(
      "m.def_submodule makes a Python module. Bind the functions to m itself, or open a second "
      "namespace with TORCH_LIBRARY.")
  module_& def_submodule(const char*, const char* = nullptr) { return *this; }
  OPSMITH_UNAVAILABLE("py::module_::import needs Python, but operators run without Python.")
  static module_& import(const char*);

 private:
  template <typename T>
  static void annotate(opsmith::annotations& notes, opsmith::parameter_note* parameters,
                       const T& extra) {
    using plain = std::decay_t<T>;
    if constexpr (std::is_same_v<plain, arg_v>) {
      parameters[notes.parameter_count++] = {extra.name, &extra.value};
    } else if constexpr (std::is_same_v<plain, arg>) {
      parameters[notes.parameter_count++] = {extra.name, nullptr};
    } else if constexpr (std::is_same_v<plain, kw_only>) {
      notes.keyword_only_from = notes.parameter_count;
    } else if constexpr (std::is_same_v<plain, pybind11::doc>) {
      notes.doc = extra.text;
    } else if constexpr (std::is_same_v<plain, const char*> || std::is_same_v<plain, char*>) {
      notes.doc = extra;
    } else if constexpr (std::is_same_v<plain, std::string>) {
      notes.doc = extra.c_str();
    } else {
      static_assert(std::is_same_v<plain, pos_only> || std::is_same_v<plain, return_value_policy> ||
                        is_call_guard<plain>,
                    "opsmith: m.def knows py::arg, doc strings, py::kw_only, py::pos_only, "
                    "py::call_guard and py::return_value_policy; this annotation needs Python.");
    }
  }

  opsmith::function_registry& registry_;
};
using module = module_;

/// The functions of one PYBIND11_MODULE, for as long as the library is loaded.
class module_registration {
 public:
  module_registration(const char* name, void (*bind)(module_&)) : registry_(name) {
    module_ m(registry_);
    bind(m);
  }

 private:
  opsmith::function_registry registry_;
};

}  // namespace pybind11
#pragma GCC visibility pop

namespace py = pybind11;

namespace torch {

/// In Python's extensions these release the interpreter's lock around the call.
template <typename F>
auto wrap_pybind_function(F&& f) {
  return std::decay_t<F>(std::forward<F>(f));
}
template <typename F>
auto wrap_pybind_function_no_gil(F&& f) {
  return std::decay_t<F>(std::forward<F>(f));
}

}  // namespace torch

// Two steps, so that TORCH_EXTENSION_NAME is replaced by its value first.
#define PYBIND11_MODULE(name, variable, ...) OPSMITH_PYBIND11_MODULE_(name, variable, __COUNTER__)
#define OPSMITH_PYBIND11_MODULE_(name, variable, uid)                                       \
  static void OPSMITH_JOIN(opsmith_bind_##name##_, uid)(::pybind11::module_&);              \
  static const ::pybind11::module_registration OPSMITH_JOIN(opsmith_module_##name##_, uid)( \
      C10_STRINGIZE(name), &OPSMITH_JOIN(opsmith_bind_##name##_, uid));                     \
  void OPSMITH_JOIN(opsmith_bind_##name##_, uid)([[maybe_unused]] ::pybind11::module_ & variable)
