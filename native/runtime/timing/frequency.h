// The processor's clock: what the system says of it, and what it really is.
#pragma once

#include <optional>
#include <string>

#include "runtime/enum_text.h"

namespace opsmith {

// Whether the clock may go above what is asked for; unknown where the system does not say.
enum class Turbo { unknown, on, off };
constexpr auto texts_of(Turbo) {
  return enum_texts<Turbo>({{Turbo::unknown, ""}, {Turbo::on, "on"}, {Turbo::off, "off"}});
}

// Of the first core, as /sys/devices/system/cpu/cpu0/cpufreq has it; Hz, 0 where it does not say.
struct FrequencyFacts {
  std::string governor;  // "" where the system does not say
  double least = 0, most = 0;
  Turbo turbo = Turbo::unknown;
};
FrequencyFacts frequency_facts();

// Cycles per second of the core that this runs on, now: by a chain of additions each of which waits
// for the one before, so that each takes a cycle, on every core since long. The best of a few runs
// of some 15 µs each, so that an interrupt does not count. Absent on processors that it does not
// know how to keep in a chain.
std::optional<double> effective_frequency();

}  // namespace opsmith
