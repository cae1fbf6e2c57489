#pragma once

// What a generated file says about a project. No libtorch header is read here, so such a file
// compiles in some 30 ms; the code behind OPSMITH_AUTOGRAD is in opsmith/autograd.cpp, compiled
// once and linked beside it. Link the generated file last: static constructors run in link order,
// and an autograd entry needs its forward and backward operators registered.
//
//   #include <opsmith/binding.h>
//   OPSMITH_ARGUMENT_NAMES({"forward", "x,y"}, {"backward", "grad"})
//   OPSMITH_AUTOGRAD("my_op", "my_op", "forward", "backward", ("grad:0"), ("x", "y"),
//                    "opsmith.json", 12)

#include <cstddef>

#pragma GCC visibility push(hidden)
namespace opsmith {

/// The C++ parameter names of a function, comma separated. `function` is the name given to m.def.
/// A function with several overloads has several rows; the first with the right count is taken.
struct argument_names {
  const char* function;
  const char* names;
};

/// One differentiable operator made of two plain ones.
struct autograd_entry {
  const char* ns;        ///< namespace of the new operator
  const char* name;      ///< its name, without namespace
  const char* forward;   ///< "name" (looked up in ns first) or "ns::name"
  const char* backward;  ///< the same
  /// What backward takes, in order: "grad:N", "output:N" or an input of forward by name or index.
  const char* const* backward_args;
  std::size_t backward_arg_count;
  /// The input that each result of backward is the gradient of; "" for a result that is none.
  const char* const* gradients;
  std::size_t gradient_count;
  /// Where the entry was written, for messages and for the dispatcher's registration notes.
  const char* file;
  unsigned line;
};

/// Registers the operator for as long as it lives. Throws c10::Error when the entry does not fit.
class autograd_registration {
 public:
  explicit autograd_registration(const autograd_entry& entry);
  ~autograd_registration();
  autograd_registration(const autograd_registration&) = delete;
  autograd_registration& operator=(const autograd_registration&) = delete;

 private:
  void* library_;
};

}  // namespace opsmith
#pragma GCC visibility pop

// Weak: null where no generated file was linked. Hidden: each library sees its own.
extern "C" {
extern const opsmith::argument_names opsmith_argument_name_table[]
    __attribute__((weak, visibility("hidden")));
}

#define OPSMITH_ARGUMENT_NAMES(...)                               \
  extern "C" {                                                    \
  const opsmith::argument_names opsmith_argument_name_table[] = { \
      __VA_ARGS__ __VA_OPT__(, ){nullptr, nullptr}};              \
  }

#define OPSMITH_JOIN_(a, b) a##b
#define OPSMITH_JOIN(a, b) OPSMITH_JOIN_(a, b)
#define OPSMITH_UNWRAP_(...) __VA_ARGS__

#define OPSMITH_AUTOGRAD(ns, name, forward, backward, backward_args, gradients, file, line) \
  OPSMITH_AUTOGRAD_(ns, name, forward, backward, backward_args, gradients, file, line, __COUNTER__)

#define OPSMITH_AUTOGRAD_(ns, name, forward, backward, backward_args, gradients, file, line, uid) \
  static constexpr const char* OPSMITH_JOIN(opsmith_backward_args_,                               \
                                            uid)[] = {OPSMITH_UNWRAP_ backward_args};             \
  static constexpr const char* OPSMITH_JOIN(opsmith_gradients_,                                   \
                                            uid)[] = {OPSMITH_UNWRAP_ gradients};                 \
  static constexpr opsmith::autograd_entry OPSMITH_JOIN(opsmith_autograd_entry_, uid) = {         \
      ns,                                                                                         \
      name,                                                                                       \
      forward,                                                                                    \
      backward,                                                                                   \
      OPSMITH_JOIN(opsmith_backward_args_, uid),                                                  \
      sizeof(OPSMITH_JOIN(opsmith_backward_args_, uid)) / sizeof(const char*),                    \
      OPSMITH_JOIN(opsmith_gradients_, uid),                                                      \
      sizeof(OPSMITH_JOIN(opsmith_gradients_, uid)) / sizeof(const char*),                        \
      file,                                                                                       \
      line};                                                                                      \
  static const opsmith::autograd_registration OPSMITH_JOIN(                                       \
      opsmith_autograd_registration_, uid)(OPSMITH_JOIN(opsmith_autograd_entry_, uid));
