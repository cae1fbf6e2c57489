#include "runtime/profile/read_events.h"

#if __has_include(<ActivityType.h>)
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/profiler/collection.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

#include "runtime/dtypes.h"
#include "runtime/graph/origin.h"

namespace opsmith {
namespace {

namespace impl = torch::profiler::impl;
using impl::EventType;
using impl::ExtraFields;

constexpr size_t most_events = 100'000;
constexpr size_t most_allocations = 100'000;
constexpr const char* engine_prefix = "autograd::engine::evaluate_function: ";
constexpr size_t engine_names = sizeof "autograd::engine::" - 1;
// What native/include/opsmith/autograd.cpp makes its nodes of.
constexpr const char* own_node = "torch::autograd::CppNode<opsmith::";

// Numbers what comes by when it first comes.
template <class Value>
class Table {
 public:
  explicit Table(std::vector<Value>& values) : values_(values) {}
  template <class Key>
  int64_t number(const Key& key, const Value& value) {
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<int64_t>(values_.size()));
    if (is_new) values_.push_back(value);
    return found->second;
  }

 private:
  std::vector<Value>& values_;
  std::map<std::string, int64_t> numbers_;
};

std::string tensor_text(const impl::TensorMetadata& tensor) {
  std::ostringstream text;
  text << dtype_name(tensor.dtype_) << "[";
  for (size_t i = 0; i < tensor.sizes_.size(); ++i)
    text << (i > 0 ? ", " : "") << tensor.sizes_[i];
  text << "]";
  return text.str();
}

std::string input_text(const impl::op_input_t& input) {
  if (const auto* tensor = std::get_if<impl::TensorMetadata>(&input)) return tensor_text(*tensor);
  if (const auto* list = std::get_if<std::vector<impl::TensorMetadata>>(&input)) {
    std::string text;
    for (const auto& tensor : *list)
      text += (text.empty() ? "" : ", ") + tensor_text(tensor);
    return "[" + text + "]";
  }
  if (const auto* value = std::get_if<c10::IValue>(&input)) {
    std::ostringstream text;
    text << *value;
    return text.str();
  }
  return "…";  // None, a list of numbers, a text: the profiler does not keep these
}

// How many arguments an operator takes; of one called through a stack the profiler notes the whole
// stack, and the arguments are its last values.
class ArgumentCounts {
 public:
  // nullopt where overloads differ and it is not known which was called.
  std::optional<size_t> of(const std::string& name, const std::string& overload) {
    const auto [found, is_new] = counts_.try_emplace(name + "." + overload);
    if (is_new) found->second = look_up(name, overload);
    return found->second;
  }

 private:
  static std::optional<size_t> look_up(const std::string& name, const std::string& overload) {
    auto& dispatcher = c10::Dispatcher::singleton();
    if (const auto op = dispatcher.findSchema({name, overload})) {
      return op->schema().arguments().size();
    }
    return std::nullopt;
  }
  std::unordered_map<std::string, std::optional<size_t>> counts_;
};

// Versions of libtorch that do not note it answer "".
template <class Op>
std::string overload_of(const Op& op) {
  if constexpr (requires { op.overload_name_; }) {
    return op.overload_name_;
  } else {
    return "";
  }
}

template <class Activity>
std::string metadata_of(const Activity& activity) {
  if constexpr (requires { activity.metadata_json_; }) {
    return activity.metadata_json_;
  } else {
    return "";
  }
}

class Reader {
 public:
  Reader(DescribedRun& described, const Program* program, ProfileTrace& trace)
      : described_(described),
        program_(program),
        trace_(trace),
        names_(trace.names),
        inputs_(trace.inputs),
        details_(trace.details),
        devices_(trace.devices),
        frames_(trace.frames),
        stacks_(trace.stacks),
        tracks_(trace.tracks) {}

  bool read(const ProfileResults& roots) {
    const auto run = roots_of_run(roots);
    if (!run.empty()) origin_ = run.front()->start_time_ns_;
    for (const auto& root : run)
      add(*root, -1, -1);
    link_backward();
    write_allocations();
    return !differs_ && described_.is_used_up();
  }

 private:
  struct Allocation {
    int64_t time, bytes, device, event;
    const void* address;
  };
  struct Sequence {
    int64_t number, event;
  };

  void add(const impl::Result& event, int64_t parent, int64_t parent_track) {
    if (event.hidden_) return;
    if (event.tag() == EventType::Allocation) return note_allocation(event, parent);
    if (event.tag() == EventType::OutOfMemory) return;
    if (repeats_range(event)) {
      for (const auto& child : event.children_)
        add(*child, parent, parent_track);
      return;
    }
    auto& events = trace_.events;
    if (events.name.size() >= most_events) {
      count_cut(event);
      return;
    }
    const auto id = static_cast<int64_t>(events.name.size());
    const int64_t track = track_of(event, parent_track);
    events.name.push_back(number_of_name(event.name()));
    events.start.push_back(event.start_time_ns_ - origin_);
    events.duration.push_back(std::max<int64_t>(0, event.endTimeNS() - event.start_time_ns_));
    events.track.push_back(track);
    events.parent.push_back(parent);
    events.kind.push_back(static_cast<int64_t>(kind_of(event)));
    events.stack.push_back(-1);
    events.inputs.push_back(-1);
    events.forward.push_back(-1);
    events.details.push_back(-1);
    event.visit_if_base<ExtraFields<EventType::TorchOp>>(
        [&](const auto& op) { describe(op, event.start_tid_, static_cast<size_t>(id)); });
    event.visit_if_base<ExtraFields<EventType::Kineto>>([&](const auto& activity) {
      const auto text = metadata_of(activity);
      if (!text.empty()) events.details.back() = details_.number(text, text);
    });
    for (const auto& child : event.children_)
      add(*child, id, track);
  }

  int64_t number_of_name(const std::string& name) {
    // "evaluate_function: MmBackward0" says as much in less room.
    const auto text = name.starts_with(engine_prefix) ? name.substr(engine_names) : name;
    return names_.number(text, text);
  }

  void count_cut(const impl::Result& event) {
    if (event.tag() == EventType::Allocation) {
      ++trace_.cut_allocations;
    } else {
      ++trace_.cut_events;
    }
    for (const auto& child : event.children_)
      count_cut(*child);
  }

  // Kineto tells a range of the host's a second time, of the device: from its first kernel to its
  // last.
  static bool repeats_range(const impl::Result& event) {
    bool repeats = false;
    event.visit_if_base<ExtraFields<EventType::Kineto>>([&](const auto& activity) {
      repeats = activity.activity_type_ == libkineto::ActivityType::GPU_USER_ANNOTATION;
    });
    return repeats;
  }

  int64_t track_of(const impl::Result& event, int64_t parent_track) {
    const auto type = event.deviceType();
    if (type != c10::DeviceType::CPU) {
      const auto name = c10::DeviceTypeName(type, /*lower_case=*/true) + ":" +
                        std::to_string(event.kineto_info_.device) + " stream " +
                        std::to_string(event.kineto_info_.resource);
      return tracks_.number("device " + name, ProfileTrack{name, true});
    }
    // Calls of a device's runtime are made by the operator's thread.
    if (event.tag() == EventType::Kineto && parent_track >= 0) return parent_track;
    const auto name = "thread " + std::to_string(event.start_tid_);
    return tracks_.number(name, ProfileTrack{name, false});
  }

  static ProfileKind kind_of(const impl::Result& event) {
    if (event.tag() == EventType::Kineto) {
      return event.deviceType() == c10::DeviceType::CPU ? ProfileKind::Runtime
                                                        : ProfileKind::Device;
    }
    auto kind = ProfileKind::Operator;
    event.visit_if_base<ExtraFields<EventType::TorchOp>>([&](const auto& op) {
      if (op.scope_ == at::RecordScope::USER_SCOPE) {
        kind = ProfileKind::Range;
      } else if (op.scope_ == at::RecordScope::TORCHSCRIPT_FUNCTION) {
        kind = ProfileKind::Function;
      } else if (op.scope_ == at::RecordScope::BACKWARD_FUNCTION ||
                 op.name_.starts_with(engine_prefix)) {
        kind = ProfileKind::Backward;
      } else if (const auto colons = op.name_.find("::");
                 colons != std::string::npos && !is_builtin_namespace(op.name_.substr(0, colons))) {
        kind = ProfileKind::Custom;
      }
    });
    return kind;
  }

  template <class Op>
  void describe(const Op& op, uint64_t thread, size_t id) {
    auto& events = trace_.events;
    const DescribedRun::Noted* noted = described_.next(thread, op.name_);
    if (noted == nullptr) differs_ = true;
    if (op.scope_ == at::RecordScope::TORCHSCRIPT_FUNCTION) {
      events.stack[id] = stack_of({definition_of(op.name_)});
    } else if (noted != nullptr && !noted->frames.empty()) {
      events.stack[id] = stack_of(noted->frames);
    }
    const bool is_node = op.scope_ == at::RecordScope::BACKWARD_FUNCTION;
    if (op.scope_ == at::RecordScope::FUNCTION && noted != nullptr) {
      noted->event->visit_if_base<ExtraFields<EventType::TorchOp>>(
          [&](const auto& called) { events.inputs[id] = inputs_of(called); });
    }
    if (op.sequence_number_ < 0) return;
    const auto number = static_cast<int64_t>(op.sequence_number_);
    if (is_node || op.name_.starts_with(engine_prefix)) {
      nodes_.push_back({number, static_cast<int64_t>(id)});
    } else {
      // Nested operators may note the number of the same node: the innermost one makes it.
      made_[number] = static_cast<int64_t>(id);
    }
  }

  ProfileFrame definition_of(const std::string& name) const {
    ProfileFrame frame{name, "", 0};
    if (program_ == nullptr) return frame;
    for (const auto& function : program_->functions()) {
      if (function.name == name) return {name, program_->file(), function.line};
    }
    return frame;
  }

  int64_t stack_of(const std::vector<ProfileFrame>& frames) {
    std::vector<int64_t> numbers;
    std::string key;
    for (const auto& frame : frames) {
      const auto text = frame.file + ":" + std::to_string(frame.line) + ":" + frame.function;
      numbers.push_back(frames_.number(text, frame));
      key += std::to_string(numbers.back()) + " ";
    }
    return stacks_.number(key, numbers);
  }

  template <class Op>
  int64_t inputs_of(const Op& op) {
    if (op.inputs_.empty()) return -1;
    const auto count = counts_.of(op.name_, overload_of(op));
    size_t first = 0;
    if (count && op.inputs_.size() > *count) first = op.inputs_.size() - *count;
    // Which of a stack's values are arguments is not known.
    if (!count && op.name_.find("::") != std::string::npos) return -1;
    std::string text;
    for (size_t i = first; i < op.inputs_.size(); ++i)
      text += (text.empty() ? "" : ", ") + input_text(op.inputs_[i]);
    return text.empty() ? -1 : inputs_.number(text, text);
  }

  void note_allocation(const impl::Result& event, int64_t parent) {
    event.visit_if_base<ExtraFields<EventType::Allocation>>([&](const auto& allocation) {
      const auto device = allocation.device().str();
      allocations_.push_back({event.start_time_ns_ - origin_, allocation.alloc_size_,
                              devices_.number(device, device), parent, allocation.ptr_});
    });
  }

  // A node of the autograd graph has the number that the operator which made it noted.
  void link_backward() {
    auto& events = trace_.events;
    for (const auto& node : nodes_) {
      const auto made = made_.find(node.number);
      if (made == made_.end()) continue;
      const auto id = static_cast<size_t>(node.event);
      events.forward[id] = made->second;
      // Nodes of the project's operators are all of one C++ class.
      const auto& name = trace_.names[static_cast<size_t>(events.name[id])];
      const auto own = name.find(own_node);
      if (own == std::string::npos) continue;
      const auto& forward =
          trace_.names[static_cast<size_t>(events.name[static_cast<size_t>(made->second)])];
      events.name[id] = number_of_name(name.substr(0, own) + "backward of " + forward);
    }
  }

  void write_allocations() {
    std::stable_sort(allocations_.begin(), allocations_.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    std::unordered_map<const void*, int64_t> blocks;
    int64_t next_block = 0;
    auto& into = trace_.allocations;
    for (const auto& one : allocations_) {
      int64_t block = -1;
      if (one.bytes > 0) {
        block = next_block++;
        blocks[one.address] = block;
      } else if (const auto found = blocks.find(one.address); found != blocks.end()) {
        block = found->second;
        blocks.erase(found);
      } else {
        continue;  // freed here, taken before the run: no part of what the run took
      }
      if (into.time.size() >= most_allocations) {
        ++trace_.cut_allocations;
        continue;
      }
      into.time.push_back(one.time);
      into.bytes.push_back(one.bytes);
      into.device.push_back(one.device);
      into.event.push_back(one.event);
      into.block.push_back(block);
    }
  }

  DescribedRun& described_;
  const Program* program_;
  ProfileTrace& trace_;
  Table<std::string> names_, inputs_, details_, devices_;
  Table<ProfileFrame> frames_;
  Table<std::vector<int64_t>> stacks_;
  Table<ProfileTrack> tracks_;
  ArgumentCounts counts_;
  int64_t origin_ = 0;
  bool differs_ = false;
  std::vector<Allocation> allocations_;
  std::vector<Sequence> nodes_;
  std::unordered_map<int64_t, int64_t> made_;
};

}  // namespace

bool read_events(const ProfileResults& roots, DescribedRun& described, const Program* program,
                 ProfileTrace& trace) {
  return Reader(described, program, trace).read(roots);
}

}  // namespace opsmith
#endif
