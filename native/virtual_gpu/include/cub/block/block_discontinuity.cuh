#pragma once
#include <opsmith/gpu/cub_block.h>

CUB_NAMESPACE_BEGIN

template <typename T, int BlockX, int BlockY = 1, int BlockZ = 1, int LegacyPtxArch = 0>
class BlockDiscontinuity {
  using shape = detail::block_shape<BlockX, BlockY, BlockZ>;
  struct Edges {
    T first[shape::threads];
    T last[shape::threads];
  };

 public:
  OPSMITH_CUB_BLOCK_STORAGE(BlockDiscontinuity, Edges)

  template <int Items, typename Flag, typename Operator>
  void FlagHeads(Flag (&heads)[Items], T (&input)[Items], Operator op) {
    share(input);
    flag_heads(heads, input, op, nullptr);
  }
  template <int Items, typename Flag, typename Operator>
  void FlagHeads(Flag (&heads)[Items], T (&input)[Items], Operator op, T tile_predecessor) {
    share(input);
    flag_heads(heads, input, op, &tile_predecessor);
  }
  template <int Items, typename Flag, typename Operator>
  void FlagTails(Flag (&tails)[Items], T (&input)[Items], Operator op) {
    share(input);
    flag_tails(tails, input, op, nullptr);
  }
  template <int Items, typename Flag, typename Operator>
  void FlagTails(Flag (&tails)[Items], T (&input)[Items], Operator op, T tile_successor) {
    share(input);
    flag_tails(tails, input, op, &tile_successor);
  }
  template <int Items, typename Flag, typename Operator>
  void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T (&input)[Items],
                         Operator op) {
    share(input);
    flag_heads(heads, input, op, nullptr);
    flag_tails(tails, input, op, nullptr);
  }
  template <int Items, typename Flag, typename Operator>
  void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T tile_successor,
                         T (&input)[Items], Operator op) {
    share(input);
    flag_heads(heads, input, op, nullptr);
    flag_tails(tails, input, op, &tile_successor);
  }
  template <int Items, typename Flag, typename Operator>
  void FlagHeadsAndTails(Flag (&heads)[Items], T tile_predecessor, Flag (&tails)[Items],
                         T (&input)[Items], Operator op) {
    share(input);
    flag_heads(heads, input, op, &tile_predecessor);
    flag_tails(tails, input, op, nullptr);
  }
  template <int Items, typename Flag, typename Operator>
  void FlagHeadsAndTails(Flag (&heads)[Items], T tile_predecessor, Flag (&tails)[Items],
                         T tile_successor, T (&input)[Items], Operator op) {
    share(input);
    flag_heads(heads, input, op, &tile_predecessor);
    flag_tails(tails, input, op, &tile_successor);
  }

 private:
  template <int Items>
  void share(T (&input)[Items]) {
    storage_.first[shape::rank()] = input[0];
    storage_.last[shape::rank()] = input[Items - 1];
    __syncthreads();
  }
  // An operator may ask for the index of the right item.
  template <typename Operator>
  static bool differ(Operator& op, const T& a, const T& b, int index) {
    if constexpr (std::is_invocable_v<Operator&, const T&, const T&, int>) {
      return op(a, b, index);
    } else {
      static_cast<void>(index);
      return op(a, b);
    }
  }
  template <int Items, typename Flag, typename Operator>
  void flag_heads(Flag (&heads)[Items], T (&input)[Items], Operator& op, const T* predecessor) {
    const int rank = shape::rank();
    if (rank == 0) {
      heads[0] = predecessor == nullptr ? 1 : differ(op, *predecessor, input[0], 0);
    } else {
      heads[0] = differ(op, storage_.last[rank - 1], input[0], rank * Items);
    }
    for (int i = 1; i < Items; ++i)
      heads[i] = differ(op, input[i - 1], input[i], rank * Items + i);
  }
  template <int Items, typename Flag, typename Operator>
  void flag_tails(Flag (&tails)[Items], T (&input)[Items], Operator& op, const T* successor) {
    const int rank = shape::rank();
    constexpr int last = Items - 1;
    if (rank == shape::threads - 1) {
      tails[last] =
          successor == nullptr ? 1 : differ(op, input[last], *successor, shape::threads * Items);
    } else {
      tails[last] = differ(op, input[last], storage_.first[rank + 1], (rank + 1) * Items);
    }
    for (int i = 0; i < last; ++i) {
      tails[i] = differ(op, input[i], input[i + 1], rank * Items + i + 1);
    }
  }

  Edges& storage_;
};

CUB_NAMESPACE_END
