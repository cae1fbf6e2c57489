#include "findings.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>

#include "order_dependence.h"
#include "report_text.h"

namespace opsmith::gpu {

namespace {

struct Kept {
  Finding finding;
  std::uint64_t count = 1;
};

constexpr std::size_t most_findings = 200;

std::mutex guard;
// Never destroyed: a program may call the runtime until it has ended.
auto& kept = *new std::vector<Kept>;
using FindingKey = std::tuple<std::string, const void*, std::string, const void*, std::string>;
auto& known = *new std::map<FindingKey, std::size_t>;

std::string site_key(const CodePlace& place) {
  return std::string(place.site.file) + ":" + std::to_string(place.site.line);
}

std::string index_text(const uint3& index) {
  return "[" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + "]";
}

std::string thread_text(const ThreadPlace& place) {
  if (!place.exists) return "null";
  return "{\"block\":" + index_text(place.block) + ",\"thread\":" + index_text(place.thread) + "}";
}

}  // namespace

void add_finding(Finding finding) {
  if (orders::repeating) return;
  const std::lock_guard lock(guard);
  const auto key = std::make_tuple(std::string(finding.check), finding.place.instruction,
                                   site_key(finding.place), finding.other_place.instruction,
                                   site_key(finding.other_place));
  const auto found = known.find(key);
  if (found != known.end()) {
    ++kept[found->second].count;
    return;
  }
  if (kept.size() >= most_findings) return;
  known[key] = kept.size();
  kept.push_back({std::move(finding), 1});
}

bool has_findings() {
  const std::lock_guard lock(guard);
  return !kept.empty();
}

std::string take_report(std::uint64_t launches, std::uint64_t accesses) {
  std::string text = "{\"launches\":" + std::to_string(launches) +
                     ",\"accesses\":" + std::to_string(accesses) + ",\"findings\":[";
  const std::lock_guard lock(guard);
  bool first = true;
  for (const auto& [finding, count] : kept) {
    if (!first) text += ",";
    first = false;
    text +=
        "{\"check\":" + quoted(finding.check) + ",\"message\":" + quoted(finding.message) +
        ",\"remedy\":" + quoted(finding.remedy) + ",\"count\":" + std::to_string(count) +
        ",\"place\":" + place_text(finding.place) + ",\"thread\":" + thread_text(finding.thread) +
        ",\"otherPlace\":" + place_text(finding.other_place) +
        ",\"otherThread\":" + thread_text(finding.other_thread) +
        ",\"other\":" + quoted(finding.other) +
        ",\"allocated\":" + (finding.allocated.line == 0 ? "null" : site_text(finding.allocated)) +
        ",\"kernel\":" + quoted(finding.kernel) +
        ",\"launched\":" + (finding.launched.line == 0 ? "null" : site_text(finding.launched)) +
        "}";
  }
  kept.clear();
  known.clear();
  return text + "]}\n";
}

void write_report(std::uint64_t launches, std::uint64_t accesses) {
  const char* path = std::getenv("OPSMITH_GPU_REPORT");
  if (path == nullptr || *path == '\0') return;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return;
  std::fputs(take_report(launches, accesses).c_str(), file);
  std::fclose(file);
}

}  // namespace opsmith::gpu
