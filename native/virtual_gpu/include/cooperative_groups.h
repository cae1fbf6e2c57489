// Cooperative groups of the virtual GPU: https://docs.nvidia.com/cuda/cuda-c-programming-guide/
// Clusters, multi-device grids and tiles of more than a warp are not supported.
#pragma once
#include <cuda_runtime.h>
#include <opsmith/gpu/device.h>
#include <opsmith/gpu/lanes.h>

namespace cooperative_groups {

// A group whose kind is known when the program runs.
class thread_group {
 public:
  unsigned long long size() const { return num_threads(); }
  inline unsigned long long num_threads() const;
  inline unsigned long long thread_rank() const;
  inline void sync(opsmith::gpu::Site site = opsmith::gpu::Site::here()) const;

 protected:
  enum class kind : unsigned char { block, lanes, grid };
  explicit thread_group(kind of, unsigned mask = 0, unsigned meta_rank = 0, unsigned meta_size = 1)
      : kind_(of), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

  kind kind_;
  unsigned mask_;
  unsigned meta_rank_;
  unsigned meta_size_;

  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
};

class grid_group : public thread_group {
 public:
  struct arrival_token {};

  // True in a kernel that cudaLaunchCooperativeKernel launched.
  bool is_valid() const { return opsmith::gpu::grid_can_wait(); }
  void sync(opsmith::gpu::Site site = opsmith::gpu::Site::here()) const {
    opsmith::gpu::grid_barrier(site);
  }
  // The wait is a whole barrier: it may order more than hardware does.
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&) const { sync(); }

  static unsigned long long size() { return num_threads(); }
  static unsigned long long num_threads() { return num_blocks() * opsmith::gpu::block_threads(); }
  static unsigned long long thread_rank() {
    return block_rank() * opsmith::gpu::block_threads() + opsmith::gpu::linear_thread();
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  static dim3 block_index() { return blockIdx; }

 private:
  grid_group() : thread_group(kind::grid) {}
  friend grid_group this_grid();
};

inline grid_group this_grid() {
  return {};
}

class thread_block : public thread_group {
 public:
  struct arrival_token {};

  static void sync(opsmith::gpu::Site site = opsmith::gpu::Site::here()) { __syncthreads(site); }
  // The wait is a whole barrier: it may order more than hardware does.
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&) const { sync(); }

  static unsigned size() { return num_threads(); }
  static unsigned num_threads() { return opsmith::gpu::block_threads(); }
  static unsigned thread_rank() { return opsmith::gpu::linear_thread(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }

 private:
  thread_block() : thread_group(kind::block) {}
  friend thread_block this_thread_block();
};

inline thread_block this_thread_block() {
  return {};
}

// Lanes of one warp that were together when the group was made.
class coalesced_group : public thread_group {
 public:
  unsigned size() const { return num_threads(); }
  unsigned num_threads() const { return static_cast<unsigned>(__popc(mask_)); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & opsmith::gpu::lower_lanes(opsmith::gpu::lane())));
  }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  void sync(opsmith::gpu::Site site = opsmith::gpu::Site::here()) const { __syncwarp(mask_, site); }

  template <typename T>
  T shfl(T value, unsigned rank) const {
    return opsmith::gpu::shuffle(mask_, value, opsmith::gpu::nth_lane(mask_, rank % size()));
  }
  template <typename T>
  T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank + delta < size() ? rank + delta : rank);
  }

  int any(int predicate) const { return __ballot_sync(mask_, predicate) != 0; }
  int all(int predicate) const { return __ballot_sync(mask_, predicate) == mask_; }
  unsigned ballot(int predicate) const { return ranks(__ballot_sync(mask_, predicate)); }
  template <typename T>
  unsigned match_any(T value) const {
    return ranks(__match_any_sync(mask_, value));
  }
  template <typename T>
  unsigned match_all(T value, int& predicate) const {
    return ranks(__match_all_sync(mask_, value, &predicate));
  }

 private:
  explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(kind::lanes, mask, meta_rank, meta_size) {}

  // A mask of lanes as a mask of ranks.
  unsigned ranks(unsigned lanes) const {
    unsigned result = 0;
    unsigned rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank) {
      if (lanes & rest & -rest) result |= 1u << rank;
    }
    return result;
  }

  friend class thread_group;
  friend coalesced_group coalesced_threads(::opsmith::gpu::Site site);
  friend coalesced_group tiled_partition(const coalesced_group& parent, unsigned size);
  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
  friend struct detail_access;
};

inline coalesced_group coalesced_threads(::opsmith::gpu::Site site = ::opsmith::gpu::Site::here()) {
  return coalesced_group(__activemask(site));
}

inline unsigned long long thread_group::num_threads() const {
  if (kind_ == kind::grid) return grid_group::num_threads();
  if (kind_ == kind::block) return thread_block::num_threads();
  return static_cast<const coalesced_group*>(this)->num_threads();
}

inline unsigned long long thread_group::thread_rank() const {
  if (kind_ == kind::grid) return grid_group::thread_rank();
  if (kind_ == kind::block) return thread_block::thread_rank();
  return static_cast<const coalesced_group*>(this)->thread_rank();
}

inline void thread_group::sync(opsmith::gpu::Site site) const {
  if (kind_ == kind::grid) {
    opsmith::gpu::grid_barrier(site);
  } else if (kind_ == kind::block) {
    __syncthreads(site);
  } else {
    __syncwarp(mask_, site);
  }
}

struct detail_access {
  static coalesced_group lanes(unsigned mask, unsigned meta_rank, unsigned meta_size) {
    return coalesced_group(mask, meta_rank, meta_size);
  }
  static unsigned mask(const coalesced_group& group) { return group.mask_; }
  template <typename Tile>
  static unsigned mask(const Tile&) {
    return Tile::lane_mask();
  }
};

template <unsigned Size, typename Parent = void>
class thread_block_tile;

namespace details {

template <unsigned Size>
class tile {
  static_assert(
      Size <= 32,
      "cooperative_groups: a tile of more than 32 threads is not supported on the virtual GPU");
  static_assert(Size != 0 && (Size & (Size - 1)) == 0,
                "cooperative_groups: the size of a tile must be a power of two");

 public:
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned thread_rank() { return opsmith::gpu::linear_thread() % Size; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  static void sync(opsmith::gpu::Site site = opsmith::gpu::Site::here()) {
    __syncwarp(lane_mask(), site);
  }

  template <typename T>
  T shfl(T value, int rank) const {
    return opsmith::gpu::shuffle(lane_mask(), value, static_cast<unsigned>(rank), Size);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta) const {
    return opsmith::gpu::shuffle_up(lane_mask(), value, delta, Size);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta) const {
    return opsmith::gpu::shuffle_down(lane_mask(), value, delta, Size);
  }
  template <typename T>
  T shfl_xor(T value, unsigned mask) const {
    return opsmith::gpu::shuffle_xor(lane_mask(), value, mask, Size);
  }

  int any(int predicate) const { return __ballot_sync(lane_mask(), predicate) != 0; }
  int all(int predicate) const { return __ballot_sync(lane_mask(), predicate) == lane_mask(); }
  unsigned ballot(int predicate) const { return ranks(__ballot_sync(lane_mask(), predicate)); }
  template <typename T>
  unsigned match_any(T value) const {
    return ranks(__match_any_sync(lane_mask(), value));
  }
  template <typename T>
  unsigned match_all(T value, int& predicate) const {
    return ranks(__match_all_sync(lane_mask(), value, &predicate));
  }

 protected:
  tile(unsigned meta_rank, unsigned meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}

  static unsigned first_lane() { return opsmith::gpu::lane() & ~(Size - 1); }
  static unsigned lane_mask() {
    if constexpr (Size == 32) {
      return 0xffffffffu;
    } else {
      return ((1u << Size) - 1) << first_lane();
    }
  }
  static unsigned ranks(unsigned lanes) { return (lanes & lane_mask()) >> first_lane(); }

  unsigned meta_rank_;
  unsigned meta_size_;

  friend struct cooperative_groups::detail_access;
};

}  // namespace details

// The type of a tile whose parent does not matter.
template <unsigned Size>
class thread_block_tile<Size, void> : public details::tile<Size> {
 public:
  template <typename Parent>
  thread_block_tile(const thread_block_tile<Size, Parent>& other)
      : details::tile<Size>(other.meta_group_rank(), other.meta_group_size()) {}

 protected:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : details::tile<Size>(meta_rank, meta_size) {}
  friend thread_block_tile<1, void> this_thread();
};

template <unsigned Size, typename Parent>
class thread_block_tile : public details::tile<Size> {
 public:
  explicit thread_block_tile(const Parent& parent)
      : details::tile<Size>(static_cast<unsigned>(parent.thread_rank()) / Size,
                            (static_cast<unsigned>(parent.size()) + Size - 1) / Size) {}
};

inline thread_block_tile<1, void> this_thread() {
  return {opsmith::gpu::linear_thread(), opsmith::gpu::block_threads()};
}

namespace details {

template <unsigned Size, typename Parent>
struct may_partition {
  static constexpr bool value = false;
};
template <unsigned Size>
struct may_partition<Size, thread_block> {
  static constexpr bool value = true;
};
template <unsigned Size, unsigned ParentSize, typename Parent>
struct may_partition<Size, thread_block_tile<ParentSize, Parent>> {
  static constexpr bool value = Size < ParentSize;
};

}  // namespace details

template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  static_assert(details::may_partition<Size, Parent>::value,
                "cooperative_groups: tiled_partition<Size> needs a thread_block or a larger tile");
  return thread_block_tile<Size, Parent>(parent);
}

inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned rank = parent.thread_rank();
  const unsigned first = rank - rank % size;
  unsigned mask = 0;
  unsigned at = 0;
  for (unsigned rest = parent.mask_; rest != 0; rest &= rest - 1, ++at) {
    if (at >= first && at < first + size) mask |= rest & -rest;
  }
  return coalesced_group(mask, rank / size, (parent.size() + size - 1) / size);
}

inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (parent.kind_ == thread_group::kind::lanes) {
    return tiled_partition(static_cast<const coalesced_group&>(parent), size);
  }
  const bool valid = parent.kind_ == thread_group::kind::block && size != 0 && size <= 32 &&
                     (size & (size - 1)) == 0;
  // CUDA ends the kernel too.
  if (!valid) __builtin_trap();
  const unsigned first = opsmith::gpu::lane() & ~(size - 1);
  const unsigned mask = (size == 32 ? 0xffffffffu : (1u << size) - 1) << first;
  return coalesced_group(mask, opsmith::gpu::linear_thread() / size,
                         (opsmith::gpu::block_threads() + size - 1) / size);
}

// Splits a tile or a coalesced group in two.
template <typename Group>
coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned members = detail_access::mask(group);
  const unsigned with = __ballot_sync(members, predicate) & members;
  return detail_access::lanes(predicate ? with : members & ~with, predicate ? 0 : 1, 2);
}

// Makes a group for each value of the label.
template <typename Group, typename Label>
coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned members = detail_access::mask(group);
  if constexpr (std::is_same_v<Label, bool>) {
    return binary_partition(group, label);
  } else {
    static_assert(
        std::is_integral_v<Label> || std::is_pointer_v<Label>,
        "cooperative_groups: the label of labeled_partition must be an integer or a pointer");
    const unsigned mates = __match_any_sync(members, (unsigned long long)label) & members;
    const unsigned leader = static_cast<unsigned>(__builtin_ctz(mates));
    const unsigned leaders = __ballot_sync(members, opsmith::gpu::lane() == leader) & members;
    return detail_access::lanes(
        mates, static_cast<unsigned>(__popc(leaders & opsmith::gpu::lower_lanes(leader))),
        static_cast<unsigned>(__popc(leaders)));
  }
}

template <typename Group>
void sync(const Group& group, opsmith::gpu::Site site = opsmith::gpu::Site::here()) {
  group.sync(site);
}
template <typename Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
auto group_size(const Group& group) {
  return group.size();
}

// One thread of the group calls the function.
template <typename Group, typename Function, typename... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}

template <typename Group, typename Function, typename... Arguments>
auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  using result = decltype(function(static_cast<Arguments&&>(arguments)...));
  static_assert(!std::is_void_v<result>,
                "cooperative_groups: the function of invoke_one_broadcast must return a value");
  std::decay_t<result> value{};
  if (group.thread_rank() == 0) value = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(value, 0);
}

class __attribute__((unavailable(
    "cooperative_groups: clusters are not supported on the virtual GPU"))) cluster_group;
class __attribute__((
    unavailable("cooperative_groups: multi-device grids are not supported on the virtual GPU")))
multi_grid_group;
int this_cluster() __attribute__((
    unavailable("cooperative_groups: clusters are not supported on the virtual GPU")));
int this_multi_grid() __attribute__((
    unavailable("cooperative_groups: multi-device grids are not supported on the virtual GPU")));
template <unsigned MaxBlockSize = 1024>
struct __attribute__((unavailable(
    "cooperative_groups: tiles of more than 32 threads are not supported on the virtual GPU")))
block_tile_memory {};

}  // namespace cooperative_groups
