#include "runtime/operator_check/checks.h"

namespace opsmith {
namespace {

// Sanitizers look at a build of their own, in an op host of their own (sanitized_calls.h).

const RegisteredCheck address_sanitizer_check({
    .name = "address_sanitizer",
    .title = "address sanitizer",
    .meaning = "In a separate build with AddressSanitizer (ASan), the calls cause no error",
    .order = 200,
    .only_when_asked = "this check is off by default, because it needs a build with sanitizers; "
                       "turn on “sanitizers” (--sanitize), or select this "
                       "check (--check NAME)",
    .sanitizer = true,
});

const RegisteredCheck undefined_behaviour_sanitizer_check({
    .name = "undefined_behaviour_sanitizer",
    .title = "UndefinedBehaviorSanitizer (UBSan)",
    .meaning = "In a separate build with UndefinedBehaviorSanitizer (UBSan), the calls cause no "
               "error",
    .order = 210,
    .only_when_asked = "this check is off by default, because it needs a build with sanitizers; "
                       "turn on “sanitizers” (--sanitize), or select this "
                       "check (--check NAME)",
    .sanitizer = true,
});

}  // namespace
}  // namespace opsmith
