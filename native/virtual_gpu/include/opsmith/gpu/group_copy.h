// Copies that the threads of a group share: of the widest words that pointers and size allow.
#pragma once
#include <cstddef>
#include <cstdint>

namespace opsmith::gpu {

struct alignas(16) sixteen_bytes {
  std::uint64_t words[2];
};

template <typename Word, typename Group>
void copy_words(const Group& group, void* to, const void* from, std::size_t bytes) {
  for (std::size_t at = group.thread_rank(); at < bytes / sizeof(Word); at += group.size()) {
    Word word;
    __builtin_memcpy(&word, static_cast<const Word*>(from) + at, sizeof(Word));
    __builtin_memcpy(static_cast<Word*>(to) + at, &word, sizeof(Word));
  }
}

template <typename Group>
void copy_bytes(const Group& group, void* to, const void* from, std::size_t bytes) {
  const std::uintptr_t alignment =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  if (alignment % 16 == 0) {
    copy_words<sixteen_bytes>(group, to, from, bytes);
  } else if (alignment % 8 == 0) {
    copy_words<std::uint64_t>(group, to, from, bytes);
  } else if (alignment % 4 == 0) {
    copy_words<std::uint32_t>(group, to, from, bytes);
  } else {
    copy_words<unsigned char>(group, to, from, bytes);
  }
}

}  // namespace opsmith::gpu
