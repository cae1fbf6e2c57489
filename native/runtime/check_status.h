// How a check of a gradcheck or of an operator went.
#pragma once

#include "runtime/enum_text.h"

namespace opsmith {

// skipped: it was not asked for, or it cannot be made here. not_reached: an earlier check failed.
enum class CheckStatus { passed, failed, skipped, not_reached };
constexpr auto texts_of(CheckStatus) {
  return enum_texts<CheckStatus>({{CheckStatus::passed, "passed"},
                                  {CheckStatus::failed, "failed"},
                                  {CheckStatus::skipped, "skipped"},
                                  {CheckStatus::not_reached, "not reached"}});
}

}  // namespace opsmith
