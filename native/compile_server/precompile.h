// A precompiled header whose shared functions are declarations for whoever reads it.
#pragma once

#include <string>
#include <vector>

#include "shared_code.h"

namespace opsmith::compile_server {

/// Writes the precompiled header of a source to `file`. A compiler of the same version that reads
/// it makes no code for the cold functions of `shared` in it, and calls those of the library.
/// Functions that templates of a later source ask for are compiled as ever.
/// @param arguments clang's, with the source; no output
/// @returns the exit code
int precompile(const std::vector<const char*>& arguments, const names& shared,
               const std::string& file);

}  // namespace opsmith::compile_server
