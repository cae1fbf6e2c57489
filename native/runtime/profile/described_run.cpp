#include "runtime/profile/described_run.h"

#if __has_include(<ActivityType.h>)
#include <torch/csrc/profiler/collection.h>

#include <algorithm>
#include <optional>

namespace opsmith {
namespace {

namespace impl = torch::profiler::impl;
using TorchOp = impl::ExtraFields<impl::EventType::TorchOp>;

bool is_range(const impl::Result& event) {
  bool is_user_scope = false;
  event.visit_if_base<TorchOp>(
      [&](const auto& op) { is_user_scope = op.scope_ == at::RecordScope::USER_SCOPE; });
  return is_user_scope;
}

// "/project/program.py(7): two_layers", as libtorch writes a frame of a TorchScript stack. Code of
// its own that it inlines has no file.
std::optional<ProfileFrame> frame_of(const std::string& text) {
  const auto end = text.rfind("): ");
  const auto open = end == std::string::npos ? end : text.rfind('(', end);
  if (open == std::string::npos) return std::nullopt;
  ProfileFrame frame{text.substr(end + 3), text.substr(0, open), 0};
  if (frame.file.empty() || frame.file.front() == '<') return std::nullopt;
  for (size_t i = open + 1; i < end; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    frame.line = 10 * frame.line + (text[i] - '0');
  }
  return frame;
}

}  // namespace

ProfileResults roots_of_run(const ProfileResults& roots) {
  int64_t start = 0;
  for (const auto& root : roots) {
    if (is_range(*root) && root->name() == "forward") {
      start = std::max(start, root->start_time_ns_);
    }
  }
  ProfileResults found;
  for (const auto& root : roots) {
    if (root->start_time_ns_ >= start) found.push_back(root);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a->start_time_ns_ < b->start_time_ns_;
  });
  return found;
}

int64_t run_duration(const ProfileResults& roots) {
  int64_t total = 0;
  for (const auto& root : roots_of_run(roots)) {
    if (is_range(*root)) total += root->endTimeNS() - root->start_time_ns_;
  }
  return total;
}

DescribedRun::DescribedRun(const ProfileResults& roots) {
  for (const auto& root : roots_of_run(roots))
    note(*root);
}

void DescribedRun::note(const impl::Result& event) {
  if (event.hidden_) return;
  event.visit_if_base<TorchOp>([&](const auto& op) {
    auto& thread = threads_[event.start_tid_];
    Noted noted{op.name_, {}, &event};
    // libtorch notes no stack for a node of the autograd graph, and hands the stacks out in turn
    // all the same: what comes after one on its thread has the stack of something later.
    if (!thread.has_nodes) {
      for (auto text = op.jit_stack_.rbegin(); text != op.jit_stack_.rend(); ++text) {
        if (auto frame = frame_of(*text)) noted.frames.push_back(std::move(*frame));
      }
    }
    if (op.scope_ == at::RecordScope::BACKWARD_FUNCTION) thread.has_nodes = true;
    thread.noted.push_back(std::move(noted));
  });
  for (const auto& child : event.children_)
    note(*child);
}

const DescribedRun::Noted* DescribedRun::next(uint64_t thread, const std::string& name) {
  auto& known = threads_[thread];
  if (known.next >= known.noted.size() || known.noted[known.next].name != name) return nullptr;
  return &known.noted[known.next++];
}

bool DescribedRun::is_used_up() const {
  return std::all_of(threads_.begin(), threads_.end(), [](const auto& entry) {
    return entry.second.next == entry.second.noted.size();
  });
}

}  // namespace opsmith
#endif
