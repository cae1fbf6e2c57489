#include "runtime/content_hash.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace opsmith {
namespace {

// A multiplication and a fold a word, as in Fowler, Noll and Vo's hash, but eight bytes at a time:
// a frozen model has hundreds of megabytes. The constants are odd parts of the golden ratio and of
// the square root of three.
uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29U);
}

uint64_t of_bytes(uint64_t hash, const char* bytes, size_t count) {
  uint64_t word = 0;
  while (count >= sizeof(word)) {
    std::memcpy(&word, bytes, sizeof(word));
    hash = mixed(hash, word);
    bytes += sizeof(word);
    count -= sizeof(word);
  }
  word = 0;
  std::memcpy(&word, bytes, count);
  return mixed(hash, word);
}

}  // namespace

std::string content_hash(const std::vector<at::Tensor>& tensors) {
  uint64_t hash = 0xbb67ae8584caa73bU;
  for (const auto& tensor : tensors) {
    if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.is_meta()) return "";
    const auto plain = tensor.detach().cpu().contiguous();
    hash = mixed(hash, plain.nbytes());
    hash = of_bytes(hash, static_cast<const char*>(plain.const_data_ptr()), plain.nbytes());
  }
  // The last words have only been through one round.
  hash = mixed(mixed(hash, 0), 0);
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return digits.data();
}

}  // namespace opsmith
