// Loading and unloading the library that holds a project's operators. One at a time.
#pragma once

#include <string>
#include <vector>

#include "runtime/registry.h"

namespace opsmith {

struct LoadReport {
  std::vector<OperatorDetail> operators;  // the operators that loading it registered, by name
  std::vector<ClassDetail> classes;
  double seconds = 0;  // dlopen alone, static constructors included
};

struct UnloadReport {
  bool unloaded = false;
  std::string reason;  // why it cannot be unloaded; "" if it was
};

// `path` is absolute. A library loaded before is unloaded first. What its static constructors throw
// ends the process (libtorch throws there for a bad schema or a duplicate name); the crash
// report says so. Throws Failure (library.load).
LoadReport load_library(const std::string& path);

// Releases every tensor handle and compiled program first. `unloaded` is false if the library
// cannot be unloaded: it registered classes, or the loader keeps it (a GNU-unique symbol, a
// thread_local with a destructor). True when there was none.
UnloadReport unload_library();

// Whether `path`, as dladdr gives it, is the loaded library.
bool is_loaded_library(const std::string& path);

// The operators that the loaded library registered; none when there is no library.
const std::vector<c10::OperatorName>& library_operators();

// The address of an exported symbol of the loaded library; null when it has none.
void* library_symbol(const char* name);

// The doc string that the loaded library gives for "namespace::name"; "" when it gives none.
std::string operator_documentation(const std::string& name);

}  // namespace opsmith
