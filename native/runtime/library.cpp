#include "runtime/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "runtime/devices.h"
#include "runtime/failure.h"
#include "runtime/graph/capture.h"
#include "runtime/open_library.h"
#include "runtime/program/program.h"
#include "runtime/tensor_store.h"
#include "runtime/timing/timing.h"

// As native/include/opsmith/documentation.h declares it to operator libraries.
struct opsmith_doc {
  const char* op;
  const char* doc;
};

namespace opsmith {
namespace {

struct Library {
  void* handle = nullptr;  // null once closed
  std::string path;        // "" when there is none; kept while a closed library has not left
  std::vector<c10::OperatorName> operators;
  bool has_classes = false;
};
Library loaded;

// Notes what is registered while it is told to: cheaper than comparing 3,500 names before and
// after.
class RegistrationLog : public c10::OpRegistrationListener {
 public:
  void onOperatorRegistered(const c10::OperatorHandle& op) override {
    if (open_) names_.push_back(op.operator_name());
  }
  void onOperatorDeregistered(const c10::OperatorHandle&) override {}

  void start() {
    names_.clear();
    open_ = true;
  }
  std::vector<c10::OperatorName> stop() {
    open_ = false;
    return std::move(names_);
  }

 private:
  bool open_ = false;
  std::vector<c10::OperatorName> names_;
};

// The dispatcher keeps it for ever.
RegistrationLog& registration_log() {
  static RegistrationLog* log = [] {
    auto owned = std::make_unique<RegistrationLog>();
    auto* added = owned.get();
    static auto* registration = new c10::RegistrationHandleRAII(
        c10::Dispatcher::singleton().addRegistrationListener(std::move(owned)));
    (void)registration;
    return added;
  }();
  return *log;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// Why the library is still here after it was closed; "" when it is gone.
std::string reason_it_stays() {
  if (void* still = dlopen(loaded.path.c_str(), RTLD_NOLOAD | RTLD_NOW)) {
    dlclose(still);
    return file_name(loaded.path) +
           " stays loaded, because the library contains a GNU-unique symbol or a thread_local "
           "variable with a destructor";
  }
  for (const auto& name : loaded.operators) {
    if (c10::Dispatcher::singleton().findSchema(name)) return name.name + " stays registered";
  }
  return "";
}

}  // namespace

bool is_loaded_library(const std::string& path) {
  return loaded.handle != nullptr && path == loaded.path;
}

const std::vector<c10::OperatorName>& library_operators() {
  return loaded.operators;
}

void* library_symbol(const char* name) {
  return loaded.handle == nullptr ? nullptr : dlsym(loaded.handle, name);
}

std::string operator_documentation(const std::string& name) {
  using Documentation = size_t (*)(const opsmith_doc**);
  const auto documentation =
      reinterpret_cast<Documentation>(library_symbol("opsmith_documentation"));
  if (documentation == nullptr) return "";
  const opsmith_doc* docs = nullptr;
  const size_t count = documentation(&docs);
  for (size_t i = 0; i < count; ++i) {
    if (name == docs[i].op) return docs[i].doc;
  }
  return "";
}

LoadReport load_library(const std::string& path) {
  const Stage stage(ErrorCode::library_load, file_name(path));
  if (!loaded.path.empty()) {
    const auto before = unload_library();
    if (!before.unloaded) {
      throw Failure(
          ErrorCode::library_load,
          "The library that was loaded before cannot be unloaded, because " + before.reason,
          "Load the new library in a new process.");
    }
  }
  auto& log = registration_log();
  const size_t methods = class_method_count();
  const auto start = std::chrono::steady_clock::now();
  log.start();
  void* handle = open_library(path);
  LoadReport report;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  loaded = {handle, path, {}, false};
  for (const auto& name : log.stop()) {
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op) continue;  // a kernel without a schema: find_operator explains it when it is called
    loaded.operators.push_back(name);
    report.operators.push_back(describe_operator(*op));
  }
  std::sort(report.operators.begin(), report.operators.end(), [](const auto& a, const auto& b) {
    return std::tie(a.summary.name, a.summary.overload) <
           std::tie(b.summary.name, b.summary.overload);
  });
  for (auto& op : report.operators)
    op.doc = operator_documentation(op.summary.name);
  report.classes = classes_since(methods);
  loaded.has_classes = class_method_count() != methods;
  return report;
}

UnloadReport unload_library() {
  // A grad_fn or a compiled program of the library calls into it when it is destroyed.
  release_all_tensors();
  release_all_graphs();
  close_all_timings();
  forget_programs();
  if (loaded.path.empty()) return {true, ""};
  if (loaded.has_classes) {
    return {false,
            file_name(loaded.path) + " registered classes, which libtorch cannot unregister"};
  }
  // A kernel of the library may still run, or be waiting in a stream.
  device_fault();
  // Once only: a second attempt finds out again whether it has left.
  if (loaded.handle != nullptr) dlclose(std::exchange(loaded.handle, nullptr));
  const auto reason = reason_it_stays();
  if (!reason.empty()) return {false, reason};
  loaded = {};
  return {true, ""};
}

}  // namespace opsmith
