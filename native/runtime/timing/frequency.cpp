#include "runtime/timing/frequency.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>

namespace opsmith {
namespace {

constexpr int runs = 6;
constexpr int64_t blocks = 512, additions = 100;  // in a run, in a block

std::string line_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

double kilohertz(const char* name) {
  const auto text = line_of_file("/sys/devices/system/cpu/cpu0/cpufreq/" + std::string(name));
  return text.empty() ? 0 : std::strtod(text.c_str(), nullptr) * 1e3;
}

Turbo turbo() {
  const auto none = line_of_file("/sys/devices/system/cpu/intel_pstate/no_turbo");
  if (!none.empty()) return none == "1" ? Turbo::off : Turbo::on;
  const auto boost = line_of_file("/sys/devices/system/cpu/cpufreq/boost");
  return boost.empty() ? Turbo::unknown : boost == "1" ? Turbo::on : Turbo::off;
}

// Two registers: processors add a constant without waiting (Intel's Golden Cove does).
inline void add_in_a_chain(uint64_t& sum, uint64_t step) {
#if defined(__x86_64__)
  asm volatile(".rept 100\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#elif defined(__aarch64__)
  asm volatile(".rept 100\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#endif
}

}  // namespace

FrequencyFacts frequency_facts() {
  FrequencyFacts facts;
  facts.governor = line_of_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.least = kilohertz("cpuinfo_min_freq");
  facts.most = kilohertz("cpuinfo_max_freq");
  facts.turbo = turbo();
  return facts;
}

std::optional<double> effective_frequency() {
#if defined(__x86_64__) || defined(__aarch64__)
  using Clock = std::chrono::steady_clock;
  uint64_t sum = 0;
  double best = 1e300;
  for (int run = 0; run < runs; ++run) {
    const auto start = Clock::now();
    for (int64_t block = 0; block < blocks; ++block)
      add_in_a_chain(sum, 1);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return static_cast<double>(blocks * additions) / best;
#else
  return std::nullopt;
#endif
}

}  // namespace opsmith
