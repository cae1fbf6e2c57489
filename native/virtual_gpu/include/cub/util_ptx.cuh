#pragma once
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

inline unsigned LaneId() {
  return opsmith::gpu::lane();
}
inline unsigned WarpId() {
  return opsmith::gpu::linear_thread() / warpSize;
}
inline int RowMajorTid(int block_x, int block_y, int) {
  return static_cast<int>((threadIdx.z * block_y + threadIdx.y) * block_x + threadIdx.x);
}
inline unsigned LaneMaskLt() {
  return opsmith::gpu::lower_lanes(LaneId());
}
inline unsigned LaneMaskLe() {
  return LaneMaskLt() | 1u << LaneId();
}
inline unsigned LaneMaskGt() {
  return ~LaneMaskLe();
}
inline unsigned LaneMaskGe() {
  return ~LaneMaskLt();
}

template <int LogicalThreads>
unsigned WarpMask(unsigned warp) {
  if constexpr (LogicalThreads == 32) {
    return 0xffffffffu;
  } else {
    const unsigned mask = (1u << LogicalThreads) - 1;
    if constexpr ((LogicalThreads & (LogicalThreads - 1)) == 0) {
      return mask << (warp * LogicalThreads % 32);
    } else {
      return mask;
    }
  }
}

inline void CTA_SYNC() {
  __syncthreads();
}
inline int CTA_SYNC_AND(int predicate) {
  return __syncthreads_and(predicate);
}
inline int CTA_SYNC_OR(int predicate) {
  return __syncthreads_or(predicate);
}
inline void WARP_SYNC(unsigned mask) {
  __syncwarp(mask);
}
inline int WARP_ANY(int predicate, unsigned mask) {
  return __any_sync(mask, predicate);
}
inline int WARP_ALL(int predicate, unsigned mask) {
  return __all_sync(mask, predicate);
}
inline unsigned WARP_BALLOT(int predicate, unsigned mask) {
  return __ballot_sync(mask, predicate);
}

// Lanes before first_thread keep their own value.
template <int LogicalThreads, typename T>
T ShuffleUp(T input, int offset, int first_thread, unsigned mask) {
  const int rank = static_cast<int>(LaneId() % LogicalThreads);
  const int from = rank - offset >= first_thread ? rank - offset : rank;
  return opsmith::gpu::shuffle(mask, input, LaneId() - rank + from);
}

// Lanes after last_thread keep their own value.
template <int LogicalThreads, typename T>
T ShuffleDown(T input, int offset, int last_thread, unsigned mask) {
  const int rank = static_cast<int>(LaneId() % LogicalThreads);
  const int from = rank + offset <= last_thread ? rank + offset : rank;
  return opsmith::gpu::shuffle(mask, input, LaneId() - rank + from);
}

template <int LogicalThreads, typename T>
T ShuffleIndex(T input, int source, unsigned mask) {
  const unsigned rank = LaneId() % LogicalThreads;
  return opsmith::gpu::shuffle(mask, input, LaneId() - rank + source % LogicalThreads);
}

// Lanes whose lowest bits of the label are equal.
template <int LabelBits>
unsigned MatchAny(unsigned label) {
  return __match_any_sync(0xffffffffu, label & ((1ull << LabelBits) - 1));
}

namespace detail {

// Threads of a logical warp that exist: the last warp of a block may be short.
template <int LogicalThreads>
unsigned present_lanes() {
  const unsigned thread = opsmith::gpu::linear_thread();
  const unsigned rank = opsmith::gpu::lane() % LogicalThreads;
  const unsigned left = opsmith::gpu::block_threads() - (thread - rank);
  const unsigned count = left < LogicalThreads ? left : LogicalThreads;
  const unsigned mask = count == 32 ? 0xffffffffu : (1u << count) - 1;
  return mask << (opsmith::gpu::lane() - rank);
}

}  // namespace detail

CUB_NAMESPACE_END
