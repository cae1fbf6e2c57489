#pragma once

namespace clang {
class ASTContext;
}

namespace opsmith::compile_server {

/// Lets clang enlarge those of its tables of types that are nearly full. A table is enlarged by a
/// look at everything in it; the copies of the server would each do that, and each would have to
/// copy the memory of all these types. Types of a precompiled header count once they are read.
void leave_room_for_types(clang::ASTContext& context);

}  // namespace opsmith::compile_server
