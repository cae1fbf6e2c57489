#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

/// One documented operator. Both strings live as long as the library is loaded.
struct opsmith_doc {
  const char* op;   ///< "namespace::name"; the bare namespace for a module's own text
  const char* doc;  ///< plain text, as given to m.def or m.doc()
};

// Hidden, so that two operator libraries in one process never share a table.
#pragma GCC visibility push(hidden)
namespace opsmith {

/// The documentation of this library, filled while its static constructors run.
class documentation_table {
 public:
  void add(std::string op, std::string doc) {
    if (doc.empty()) return;
    const char* op_text = keep(std::move(op));
    entries_.push_back({op_text, keep(std::move(doc))});
  }

  const std::vector<opsmith_doc>& entries() const { return entries_; }

 private:
  const char* keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::deque<std::string> texts_;  // a deque never moves what it holds
  std::vector<opsmith_doc> entries_;
};

inline documentation_table& documentation() {
  static documentation_table table;
  return table;
}

}  // namespace opsmith
#pragma GCC visibility pop

/// Found by dlsym in a loaded library: how many entries there are, and where.
/// `used`, because nothing in the library calls it; inline, because each file brings one.
extern "C" __attribute__((used, visibility("default"))) inline std::size_t opsmith_documentation(
    const opsmith_doc** out) {
  const auto& entries = opsmith::documentation().entries();
  *out = entries.data();
  return entries.size();
}
