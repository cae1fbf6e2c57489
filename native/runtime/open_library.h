// dlopen with messages that a user can act on. Used by the op host and by operator_addon.
#pragma once

#include <string>

namespace opsmith {

// So that a library that names no dependency finds libtorch, as Python's torch offers it.
void offer_libtorch_symbols();

// dlopen with everything resolved at once. Throws Failure (library.load) that names the missing
// symbol, demangled, or the missing library.
void* open_library(const std::string& path);

}  // namespace opsmith
