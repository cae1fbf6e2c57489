// What the program notes of its kernels when it starts.
#include "opsmith/gpu/kernel_facts.h"

#include <map>
#include <mutex>

namespace opsmith::gpu {

namespace {

struct Kept {
  std::mutex guard;
  std::map<const void*, KernelFacts> facts;
};

Kept& kept() {
  // Never destroyed; made when the first file of the program begins.
  static auto* made = new Kept();
  return *made;
}

}  // namespace

bool keep_bounds(const void* kernel, int most_threads) {
  if (kernel == nullptr || most_threads <= 0) return false;
  Kept& k = kept();
  const std::lock_guard lock(k.guard);
  k.facts[kernel].most_threads = most_threads;
  return true;
}

bool keep_shared(const void* kernel, std::size_t bytes, std::size_t alignment) {
  if (kernel == nullptr) return false;
  Kept& k = kept();
  const std::lock_guard lock(k.guard);
  std::size_t& all = k.facts[kernel].static_shared;
  all = (all + alignment - 1) / alignment * alignment + bytes;
  return true;
}

KernelFacts facts_of(const void* kernel) {
  Kept& k = kept();
  const std::lock_guard lock(k.guard);
  const auto found = k.facts.find(kernel);
  return found == k.facts.end() ? KernelFacts{} : found->second;
}

}  // namespace opsmith::gpu
