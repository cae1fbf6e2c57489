// clang in this process.
#pragma once

#include <vector>

namespace clang {
class CompilerInstance;
}

namespace opsmith::compile_server {

/// @param arguments clang's, its name first
/// @returns a compiler that is never destroyed; null where clang refuses the arguments
clang::CompilerInstance* new_compiler(const std::vector<const char*>& arguments);

}  // namespace opsmith::compile_server
