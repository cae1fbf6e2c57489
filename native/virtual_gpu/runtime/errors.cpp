#include "errors.h"

#include <atomic>
#include <cstdio>
#include <string>

#include "block.h"
#include "checks.h"
#include "order_dependence.h"
#include "worker.h"

namespace opsmith::gpu {

namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> sticky{cudaSuccess};

std::string place(Site site) {
  if (site.line == 0) return "";
  return std::string(site.file) + ":" + std::to_string(site.line) + ": ";
}

std::string coordinates(const uint3& index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

}  // namespace

void set_error(cudaError_t error) {
  last_error = error;
}

cudaError_t failed(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t take_error() {
  if (sticky.load() != cudaSuccess) return sticky.load();
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t peek_error() {
  return sticky.load() != cudaSuccess ? sticky.load() : last_error;
}

cudaError_t sticky_error() {
  return sticky.load();
}

void set_sticky_error(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  sticky.compare_exchange_strong(none, error);
}

void clear_errors() {
  sticky = cudaSuccess;
  last_error = cudaSuccess;
}

void report_failure(const char* text, Site site) {
  if (orders::repeating) return;
  std::string line = "opsmith: " + place(site) + text;
  if (worker != nullptr && worker->launch() != nullptr) {
    line += std::string("\n  kernel ") + worker->launch()->kernel->name;
    if (current != nullptr)
      line += ", block " + coordinates(current->block_index) + ", thread " +
              coordinates(current->thread);
    line += ", launched at " + place(worker->launch()->kernel->site);
    line.resize(line.size() - 2);
  }
  line += "\n";
  std::fflush(stdout);
  std::fputs(line.c_str(), stderr);
}

void report_stuck(const Launch& launch, const unsigned* by_wait, const Fiber* const* example,
                  unsigned polling, const void* polls_at) {
  static constexpr const char* what[] = {
      "",        "__syncthreads", "a named barrier", "other lanes of their warp", "converged lanes",
      "the grid"};
  std::string text = "no thread of the launch can continue";
  for (std::size_t kind = 1; kind < std::size(what); ++kind) {
    if (by_wait[kind] == 0) continue;
    const Fiber& fiber = *example[kind];
    text += "\n  " + std::to_string(by_wait[kind]) + " threads wait for " + what[kind] +
            ", such as block " + coordinates(fiber.block_index) + ", thread " +
            coordinates(fiber.thread) + " at " + place(fiber.site);
    text.resize(text.size() - 2);
  }
  if (polling > 0)
    text += "\n  " + std::to_string(polling) +
            " threads wait in a loop for memory to change, but no other thread changes it";
  set_sticky_error(cudaErrorLaunchTimeout);
  if (checking) {
    Site waiting;
    for (std::size_t kind = 1; kind < std::size(what); ++kind)
      if (by_wait[kind] > 0) waiting = example[kind]->site;
    // The finding has the name of its check already.
    checked::stuck("No" + text.substr(2), launch.kernel->site, waiting, polls_at);
  }
  report_failure(("deadlock: " + text).c_str(), launch.kernel->site);
}

}  // namespace opsmith::gpu
