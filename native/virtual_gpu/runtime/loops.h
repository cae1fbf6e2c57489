// Loops of a counted program, from the control flow that clang writes into it
// (-fsanitize-coverage=pc-table,control-flow). A straight piece of code is known by its guard's
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace opsmith::gpu {

/** A straight piece of code, as clang's table has it. */
struct CodeEntry {
  std::uintptr_t address;
  std::uintptr_t begins_function;  // 1 or 0
};

class Loops {
 public:
  /** The pieces of a module; the first has the number `guard`. */
  void add_pieces(std::span<const CodeEntry> pieces, std::uint32_t guard);
  /** For each piece its address, where it goes, 0, what it calls, 0. */
  void add_control_flow(std::span<const std::uintptr_t> table);
  /** This function turns once for each thread: that loop is none of the kernel's. */
  void turns_for_threads(const void* function);

  /** The loops around a piece of code, the outermost first, by the number of their first pieces. */
  std::span<const std::uint32_t> around(std::uint32_t guard) const {
    return guard < around_.size() ? std::span<const std::uint32_t>(around_[guard])
                                  : std::span<const std::uint32_t>();
  }

 private:
  struct Function {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    bool drops_outermost = false;
  };
  void find_loops(const Function& function);

  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::vector<std::uint32_t>> around_;
  std::unordered_map<std::uintptr_t, std::uint32_t> guard_at_;
  std::unordered_map<std::uintptr_t, Function> functions_;  // by address
};

}  // namespace opsmith::gpu
