// The processor's clock: the value that the system reports, and the measured one.
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

// Cycles per second of the core that this runs on, now: measured with a chain of dependent
// additions, which take one cycle each on every current core. The best of a few runs of about 15
// µs, so that interrupts do not count. Absent on processors without such a chain here.
std::optional<double> effective_frequency();

}  // namespace opsmith
