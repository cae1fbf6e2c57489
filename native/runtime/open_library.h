// dlopen with messages that a user can act on. Used by the op host and by operator_addon.
#pragma once

#include <string>

namespace opsmith {

// Makes libtorch visible to libraries that do not link it, as Python's torch does.
void offer_libtorch_symbols();

// dlopen with everything resolved at once. Throws Failure (library.load) that names the missing
// symbol, demangled, or the missing library.
void* open_library(const std::string& path);

}  // namespace opsmith
