#pragma once

// Names of pybind11 that stand for Python objects. A source that uses one is told at that line that
// operators run without Python, and what to use instead.

#include <opsmith/carry.h>

// The attribute puts the error on the user's own line. A g++ before 12 does not know it: there the
// static_assert in check_carried speaks, for types at least.
#ifdef OPSMITH_KNOWS_UNAVAILABLE
#define OPSMITH_UNAVAILABLE(message) __attribute__((unavailable("opsmith: " message)))
#else
#define OPSMITH_UNAVAILABLE(message)
#endif
#define OPSMITH_NEEDS_PYTHON(instead) \
  OPSMITH_UNAVAILABLE("this is a Python object, but operators run without Python; " instead)

#pragma GCC visibility push(hidden)
namespace pybind11 {

/// Python's None as a default value is fine: it is the dispatcher's None too.
struct none_type {};
using none = none_type;

#define OPSMITH_PYTHON_TYPE(name, instead) \
  struct OPSMITH_NEEDS_PYTHON(instead) name : opsmith::python_only {};
OPSMITH_PYTHON_TYPE(object, "take a torch::Tensor, a number, a std::string or a c10::IValue")
OPSMITH_PYTHON_TYPE(handle, "take a torch::Tensor, a number, a std::string or a c10::IValue")
OPSMITH_PYTHON_TYPE(list, "use std::vector")
OPSMITH_PYTHON_TYPE(tuple, "use std::tuple")
OPSMITH_PYTHON_TYPE(dict, "use std::map or c10::Dict")
OPSMITH_PYTHON_TYPE(set, "use std::vector")
OPSMITH_PYTHON_TYPE(str, "use std::string")
OPSMITH_PYTHON_TYPE(bytes, "use a torch::Tensor of uint8")
OPSMITH_PYTHON_TYPE(bytearray, "use a torch::Tensor of uint8")
OPSMITH_PYTHON_TYPE(int_, "use int64_t")
OPSMITH_PYTHON_TYPE(float_, "use double")
OPSMITH_PYTHON_TYPE(bool_, "use bool")
OPSMITH_PYTHON_TYPE(slice, "use two int64_t")
OPSMITH_PYTHON_TYPE(args, "name each parameter, or take a std::vector")
OPSMITH_PYTHON_TYPE(kwargs, "name each parameter, with py::arg(\"x\") = default")
OPSMITH_PYTHON_TYPE(buffer, "use torch::Tensor")
OPSMITH_PYTHON_TYPE(function, "call back into Python by registering an operator there instead")
OPSMITH_PYTHON_TYPE(array, "use torch::Tensor")
OPSMITH_PYTHON_TYPE(iterable, "use std::vector")
OPSMITH_PYTHON_TYPE(iterator, "use std::vector")
#undef OPSMITH_PYTHON_TYPE

template <typename T, int Flags = 0>
struct OPSMITH_NEEDS_PYTHON("use torch::Tensor") array_t : opsmith::python_only {};

/// Takes every call that a bound class of pybind11 takes, so that one error is all there is. Apart
/// from class_, because g++ counts a class's own members as uses of it.
struct __attribute__((visibility("default"))) ignored_members {
#define OPSMITH_IGNORED(name)     \
  template <typename... A>        \
  ignored_members& name(A&&...) { \
    return *this;                 \
  }
  OPSMITH_IGNORED(def)
  OPSMITH_IGNORED(def_static)
  OPSMITH_IGNORED(def_readwrite)
  OPSMITH_IGNORED(def_readonly)
  OPSMITH_IGNORED(def_property)
  OPSMITH_IGNORED(def_property_readonly)
  OPSMITH_IGNORED(def_buffer)
  OPSMITH_IGNORED(value)
  OPSMITH_IGNORED(export_values)
#undef OPSMITH_IGNORED
};

template <typename T, typename... Options>
struct OPSMITH_UNAVAILABLE(
    "py::class_ makes a Python class. Derive from torch::CustomClassHolder and register the class "
    "with torch::class_ in TORCH_LIBRARY: it then works in TorchScript, C++ and Python.") class_
    : ignored_members {
  template <typename... A>
  explicit class_(A&&...) {}
};

template <typename... A>
struct init_t {};
template <typename... A>
constexpr init_t<A...> init() {
  return {};
}
template <typename F>
constexpr init_t<F> init(F&&) {
  return {};
}
struct dynamic_attr {};

template <typename T>
struct OPSMITH_UNAVAILABLE(
    "py::enum_ makes a Python enumeration. Take an int64_t or a std::string and check it with "
    "TORCH_CHECK.") enum_ : ignored_members {
  template <typename... A>
  explicit enum_(A&&...) {}
};

template <typename... A>
OPSMITH_UNAVAILABLE("py::print needs Python, but operators run without Python. Use std::cout.")
void print(A&&...) {}
template <typename T, typename... A>
OPSMITH_UNAVAILABLE("py::cast needs Python, but operators run without Python.")
T cast(A&&...);

}  // namespace pybind11
#pragma GCC visibility pop
