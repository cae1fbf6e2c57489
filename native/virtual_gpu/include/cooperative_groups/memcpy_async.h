// Copies of a group. They are done when memcpy_async returns, but other threads of the group
// may read them only after wait().
#pragma once
#include <cooperative_groups.h>
#include <opsmith/gpu/group_copy.h>

namespace cooperative_groups {

// The size in bytes is a number or a cuda::aligned_size_t.
template <typename Group, typename T, typename Size>
void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  opsmith::gpu::copy_bytes(group, to, from, static_cast<std::size_t>(bytes));
}

template <typename Group, typename T, typename ToCount, typename FromCount>
void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                  const FromCount& from_count) {
  const std::size_t a = static_cast<std::size_t>(to_count);
  const std::size_t b = static_cast<std::size_t>(from_count);
  opsmith::gpu::copy_bytes(group, to, from, (a < b ? a : b) * sizeof(T));
}

template <typename Group>
void wait(const Group& group) {
  group.sync();
}

template <unsigned Stages, typename Group>
void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
