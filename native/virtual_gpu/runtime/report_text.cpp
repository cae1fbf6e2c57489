#include "report_text.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

namespace opsmith::gpu {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    switch (character) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(character) < 0x20) {
          char escape[8];
          std::snprintf(escape, sizeof(escape), "\\u%04x", character);
          result += escape;
        } else {
          result += character;
        }
    }
  }
  return result + "\"";
}

std::string site_text(const Site& site) {
  return "{\"file\":" + quoted(site.file) + ",\"line\":" + std::to_string(site.line) +
         ",\"column\":" + std::to_string(site.column) + "}";
}

std::string place_text(const CodePlace& place) {
  if (place.instruction == nullptr)
    return place.site.line == 0 ? "null" : "{\"site\":" + site_text(place.site) + "}";
  Dl_info info;
  if (dladdr(place.instruction, &info) == 0 || info.dli_fname == nullptr) return "null";
  // A return address is after the call: one byte back lies within it.
  const auto offset = reinterpret_cast<std::uintptr_t>(place.instruction) - 1 -
                      reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  return "{\"module\":" + quoted(info.dli_fname) + ",\"offset\":" + std::to_string(offset) + "}";
}

}  // namespace opsmith::gpu
