// A precompiled header whose shared functions are declarations for whoever reads it.
#pragma once

#include <string>
#include <vector>

#include "shared_code.h"

namespace opsmith::compile_server {

/// Writes the precompiled header of a source to `file`. What reads it, whatever compiler of the
/// same version that is, makes no code for the functions of `shared`, and calls those of the
/// library.
/// @param arguments clang's, with the source; no output
/// @returns the exit code
int precompile(const std::vector<const char*>& arguments, const names& shared,
               const std::string& file);

}  // namespace opsmith::compile_server
