// JSON of what the runtime reports.
#pragma once

#include <string>

#include "findings.h"

namespace opsmith::gpu {

std::string quoted(const std::string& text);
std::string site_text(const Site& site);
/** The module and the offset in it: what a symbolizer asks for. */
std::string place_text(const CodePlace& place);

}  // namespace opsmith::gpu
