#include "loops.h"

#include <algorithm>

namespace opsmith::gpu {

namespace {

constexpr std::uint32_t none = 0xffffffffU;

/** The pieces of one function, numbered from 0; the first is where it begins. */
class Flow {
 public:
  explicit Flow(std::vector<std::vector<std::uint32_t>> next) : next_(std::move(next)) {
    before_.resize(next_.size());
    for (std::uint32_t piece = 0; piece < next_.size(); ++piece)
      for (const std::uint32_t after : next_[piece])
        before_[after].push_back(piece);
    find_order();
    find_dominators();
  }

  /** All pieces of the loop that begins with `header`; empty if none does. */
  std::vector<std::uint32_t> loop_of(std::uint32_t header) const {
    std::vector<std::uint32_t> body{header};
    std::vector<bool> inside(next_.size());
    inside[header] = true;
    const auto take = [&](std::uint32_t piece) {
      if (inside[piece]) return;
      inside[piece] = true;
      body.push_back(piece);
    };
    bool turns = false;
    for (const std::uint32_t last : before_[header])
      if (dominates(header, last)) {
        turns = true;
        take(last);
      }
    if (!turns) return {};
    for (std::size_t index = 1; index < body.size(); ++index)
      for (const std::uint32_t piece : before_[body[index]])
        if (position_[piece] != none) take(piece);
    return body;
  }

 private:
  /** Each piece after at least one that leads to it, loops aside. */
  void find_order() {
    position_.assign(next_.size(), none);
    std::vector<bool> seen(next_.size());
    struct Step {
      std::uint32_t piece;
      std::size_t taken;
    };
    std::vector<Step> path{{0, 0}};
    seen[0] = true;
    while (!path.empty()) {
      Step& step = path.back();
      if (step.taken == next_[step.piece].size()) {
        order_.push_back(step.piece);
        path.pop_back();
        continue;
      }
      const std::uint32_t after = next_[step.piece][step.taken++];
      if (seen[after]) continue;
      seen[after] = true;
      path.push_back({after, 0});
    }
    std::reverse(order_.begin(), order_.end());
    for (std::uint32_t index = 0; index < order_.size(); ++index)
      position_[order_[index]] = index;
  }

  /** For each piece the last one that every way to it goes through. */
  void find_dominators() {
    dominator_.assign(next_.size(), none);
    dominator_[0] = 0;
    const auto common = [this](std::uint32_t one, std::uint32_t other) {
      while (one != other) {
        while (position_[one] > position_[other])
          one = dominator_[one];
        while (position_[other] > position_[one])
          other = dominator_[other];
      }
      return one;
    };
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t index = 1; index < order_.size(); ++index) {
        const std::uint32_t piece = order_[index];
        std::uint32_t found = none;
        for (const std::uint32_t before : before_[piece])
          if (dominator_[before] != none) found = found == none ? before : common(found, before);
        if (dominator_[piece] == found) continue;
        dominator_[piece] = found;
        changes = true;
      }
    }
  }

  bool dominates(std::uint32_t one, std::uint32_t other) const {
    if (position_[one] == none || position_[other] == none) return false;
    while (position_[other] > position_[one])
      other = dominator_[other];
    return one == other;
  }

  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;  // in the order; none: nothing leads there
  std::vector<std::uint32_t> dominator_;
};

}  // namespace

void Loops::add_pieces(std::span<const CodeEntry> pieces, std::uint32_t guard) {
  const auto end = guard + static_cast<std::uint32_t>(pieces.size());
  next_.resize(std::max<std::size_t>(next_.size(), end));
  around_.resize(next_.size());
  Function* open = nullptr;
  for (const CodeEntry& piece : pieces) {
    guard_at_[piece.address] = guard;
    if (piece.begins_function != 0) {
      open = &(functions_[piece.address] = {});
      open->first = guard;
    }
    ++guard;
    if (open != nullptr) open->end = guard;
  }
}

void Loops::add_control_flow(std::span<const std::uintptr_t> table) {
  for (std::size_t at = 0; at < table.size();) {
    const auto piece = guard_at_.find(table[at++]);
    for (; at < table.size() && table[at] != 0; ++at) {
      const auto after = guard_at_.find(table[at]);
      if (piece != guard_at_.end() && after != guard_at_.end())
        next_[piece->second].push_back(after->second);
    }
    // What the piece calls matters to none of its loops.
    for (++at; at < table.size() && table[at] != 0;)
      ++at;
    ++at;
  }
  for (const auto& [address, function] : functions_)
    find_loops(function);
}

void Loops::turns_for_threads(const void* function) {
  const auto found = functions_.find(reinterpret_cast<std::uintptr_t>(function));
  if (found == functions_.end() || found->second.drops_outermost) return;
  found->second.drops_outermost = true;
  find_loops(found->second);
}

void Loops::find_loops(const Function& function) {
  const std::uint32_t count = function.end - function.first;
  std::vector<std::vector<std::uint32_t>> next(count);
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    around_[function.first + piece].clear();
    for (const std::uint32_t after : next_[function.first + piece])
      if (after >= function.first && after < function.end)
        next[piece].push_back(after - function.first);
  }
  const Flow flow(std::move(next));
  std::vector<std::vector<std::uint32_t>> loops;
  for (std::uint32_t header = 0; header < count; ++header) {
    std::vector<std::uint32_t> body = flow.loop_of(header);
    if (!body.empty()) loops.push_back(std::move(body));
  }
  // Of two loops around one piece, the larger one is the outer one.
  std::sort(loops.begin(), loops.end(),
            [](const auto& one, const auto& other) { return one.size() > other.size(); });
  for (const std::vector<std::uint32_t>& body : loops)
    for (const std::uint32_t piece : body)
      around_[function.first + piece].push_back(function.first + body[0]);
  if (!function.drops_outermost) return;
  for (std::uint32_t guard = function.first; guard < function.end; ++guard)
    if (!around_[guard].empty()) around_[guard].erase(around_[guard].begin());
}

}  // namespace opsmith::gpu
