// opsmith_native.node: electron/host/addon.ts, call by call.
#include <napi.h>
#include <torch/csrc/api/include/torch/version.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

#include "binding/guard.h"
#include "binding/read_request.h"
#include "binding/write_report.h"
#include "runtime/process/call_thread.h"
#include "runtime/process/crash_report.h"
#include "runtime/process/memory_limit.h"
#include "runtime/process/tensor_memory.h"
#include "runtime/record.h"

namespace opsmith {
namespace {

// One call on its way to the call thread and back. Made and destroyed on the JavaScript thread.
class PendingCall {
 public:
  explicit PendingCall(Napi::Env env) : deferred_(Napi::Promise::Deferred::New(env)) {}
  virtual ~PendingCall() = default;

  virtual void work() = 0;                        // on the call thread
  virtual Napi::Value result(Napi::Env env) = 0;  // on the JavaScript thread

  void work_guarded() {
    try {
      work();
    } catch (...) {
      failure_ = describe_current_exception();
    }
  }

  void settle(Napi::Env env) {
    if (failure_) {
      deferred_.Reject(to_error(env, *failure_).Value());
    } else {
      deferred_.Resolve(result(env));
    }
  }

  Napi::Promise promise() const { return deferred_.Promise(); }

 private:
  Napi::Promise::Deferred deferred_;
  std::optional<Failure> failure_;
};

template <class Work>
class TypedCall : public PendingCall {
 public:
  TypedCall(Napi::Env env, Work work) : PendingCall(env), work_(std::move(work)) {}
  void work() override { result_.emplace(work_()); }
  Napi::Value result(Napi::Env env) override { return write(env, *result_); }

 private:
  Work work_;
  std::optional<decltype(std::declval<Work>()())> result_;
};

void settle_on_script_thread(Napi::Env env, Napi::Function, void*, PendingCall* call);
using Answers = Napi::TypedThreadSafeFunction<void, PendingCall, settle_on_script_thread>;

// Leaked: the call thread may answer while the process ends.
Answers& answers() {
  static Answers* instance = new Answers();
  return *instance;
}
size_t calls_pending = 0;  // JavaScript thread only

// With calls pending the event loop must stay alive; without, it must be free to end.
void settle_on_script_thread(Napi::Env env, Napi::Function, void*, PendingCall* call) {
  const std::unique_ptr<PendingCall> owned(call);
  if (--calls_pending == 0) answers().Unref(env);
  // Null while the environment is torn down: nobody waits any more.
  if (static_cast<napi_env>(env) == nullptr) return;
  Napi::HandleScope scope(env);
  owned->settle(env);
}

template <class Work>
Napi::Value submit(Napi::Env env, std::string phase, Work work) {
  auto* call = new TypedCall<Work>(env, std::move(work));
  if (calls_pending++ == 0) answers().Ref(env);
  const auto promise = call->promise();
  submit_call(
      std::move(phase), [call] { call->work_guarded(); }, [call] { answers().BlockingCall(call); });
  return promise;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Napi::Value install_crash_reporter(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    install_crash_report(read_string(info[0], "reportPath"));
    return info.Env().Undefined();
  });
}

Napi::Value set_limit(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t bytes = read_integer(info[0], "bytes");
    set_memory_limit(bytes > 0 ? static_cast<uint64_t>(bytes) : 0);
    return info.Env().Undefined();
  });
}

Napi::Value set_script_phase(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    set_phase(read_string(info[0], "phase"));
    return info.Env().Undefined();
  });
}

Napi::Value dump_stack(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), dump_call_stack());
}

Napi::Value busy(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), busy_seconds());
}

Napi::Value load(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto path = read_string(info[0], "path");
    return submit(info.Env(), "load " + file_name(path), [path] { return load_library(path); });
  });
}

Napi::Value unload(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    return submit(info.Env(), "unload the library", [] { return unload_library(); });
  });
}

Napi::Value list(const Napi::CallbackInfo& info) {
  return guard(
      info, [&] { return submit(info.Env(), "list operators", [] { return list_operators(); }); });
}

Napi::Value describe(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto name = read_string(info[0], "name");
    auto overload = read_string(info[1], "overload");
    return submit(info.Env(), "describe " + name, [name, overload] {
      auto detail = describe_operator(name, overload);
      detail.doc = operator_documentation(name);
      return detail;
    });
  });
}

Napi::Value program_functions(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    ProgramSource program{read_string(info[0], "file"), read_string(info[1], "source")};
    auto phase = "compile " + file_name(program.file);
    return submit(info.Env(), std::move(phase), [program] {
      enter_stage("program.compile");
      return compile_program(program)->functions();
    });
  });
}

Napi::Value run_call(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_run_request(info[0]);
    auto phase = "call " + request.op;
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request)] { return run(request); });
  });
}

Napi::Value record(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_run_request(info[0]);
    auto path = read_string(info[1], "path");
    const bool make_call = info[2].ToBoolean();
    auto phase = "call " + request.op;
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request), path = std::move(path), make_call] {
                    return record_call(request, path, make_call);
                  });
  });
}

Napi::Value gradcheck(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_gradcheck_request(info[0]);
    auto phase = "gradcheck " + request.op;
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request)] { return run_gradcheck(request); });
  });
}

Napi::Value opcheck(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_opcheck_request(info[0]);
    auto phase = "check " + request.op;
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request)] { return run_opcheck(request); });
  });
}

Napi::Value sanitized_calls(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_opcheck_request(info[0]);
    auto logs = read_string(info[1], "logs");
    auto phase = "check " + request.op;
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request), logs = std::move(logs)] {
                    return run_sanitized_calls(request, logs);
                  });
  });
}

Napi::Value page(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_page_request(info[0]);
    return submit(info.Env(), "read a page", [request] {
      enter_stage("input.invalid", "page");
      return read_page(request);
    });
  });
}

Napi::Value histogram(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t handle = read_integer(info[0], "handle");
    const int64_t bins = read_integer(info[1], "bins");
    return submit(info.Env(), "make a histogram", [handle, bins] {
      enter_stage("input.invalid", "histogram");
      return make_histogram(handle, bins);
    });
  });
}

Napi::Value release(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto handles = read_integers(info[0], "handles");
    return submit(info.Env(), "release tensors", [handles] { return release_tensors(handles); });
  });
}

Napi::Value capture(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_capture_request(info[0]);
    auto phase = "capture " + request.entry;
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request)] { return capture_graph(request); });
  });
}

Napi::Value read_captured(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t number = read_integer(info[0], "capture");
    const int64_t step = read_integer(info[1], "step");
    return submit(info.Env(), "read a graph", [number, step] { return read_graph(number, step); });
  });
}

Napi::Value observe(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t number = read_integer(info[0], "capture");
    const int64_t step = read_integer(info[1], "step");
    const int64_t runs = read_integer(info[2], "runs");
    return submit(info.Env(), "run the graph",
                  [number, step, runs] { return observe_capture(number, step, runs); });
  });
}

Napi::Value release_captures(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto captures = read_integers(info[0], "captures");
    return submit(info.Env(), "release graphs", [captures] { return release_graphs(captures); });
  });
}

Napi::Value save_captured(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t number = read_integer(info[0], "capture");
    auto path = read_string(info[1], "path");
    return submit(info.Env(), "save the graph",
                  [number, path] { return save_graph(number, path); });
  });
}

Napi::Value archive(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto path = read_string(info[0], "path");
    return submit(info.Env(), "open " + file_name(path), [path] { return describe_archive(path); });
  });
}

Napi::Value open_bench(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_timed_call(info[0]);
    auto phase = "time " + request.expression.value_or(request.op);
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request)] { return open_timing(request); });
  });
}

Napi::Value sample_bench(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t handle = read_integer(info[0], "handle");
    const int64_t count = read_integer(info[1], "count");
    return submit(info.Env(), "take timings",
                  [handle, count] { return sample_timing(handle, count); });
  });
}

Napi::Value bench_layers(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t handle = read_integer(info[0], "handle");
    return submit(info.Env(), "time the dispatcher", [handle] { return timing_layers(handle); });
  });
}

Napi::Value replay_bench(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t handle = read_integer(info[0], "handle");
    const int64_t count = read_integer(info[1], "count");
    return submit(info.Env(), "replay a graph",
                  [handle, count] { return replay_timing(handle, count); });
  });
}

Napi::Value profile_bench(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t handle = read_integer(info[0], "handle");
    auto path = read_string(info[1], "path");
    return submit(info.Env(), "list kernels", [handle, path] {
      profile_timing(handle, path);
      return int64_t{1};
    });
  });
}

Napi::Value device(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto name = read_string(info[0], "device");
    return submit(info.Env(), "describe " + name,
                  [name] { return device_facts(at::Device(name)); });
  });
}

Napi::Value device_ceilings(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto name = read_string(info[0], "device");
    return submit(info.Env(), "measure " + name,
                  [name] { return measure_device(parse_device(name)); });
  });
}

Napi::Value save_bench(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t handle = read_integer(info[0], "handle");
    auto path = read_string(info[1], "path");
    return submit(info.Env(), "save results", [handle, path] {
      save_timing(handle, path);
      return int64_t{1};
    });
  });
}

Napi::Value compare_bench(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t handle = read_integer(info[0], "handle");
    const auto tolerances = read_tolerances(info[2]);
    if (info[1].IsString()) {
      auto path = read_string(info[1], "with");
      return submit(info.Env(), "compare results",
                    [=] { return compare_timing(handle, path, tolerances); });
    }
    const int64_t with = read_integer(info[1], "with");
    return submit(info.Env(), "compare results",
                  [=] { return compare_timings(handle, with, tolerances); });
  });
}

Napi::Value close_bench(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto handles = read_integers(info[0], "handles");
    return submit(info.Env(), "close timings", [handles] { return close_timings(handles); });
  });
}

Napi::Value machine(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    return submit(info.Env(), "describe the machine", [] { return machine_facts(); });
  });
}

Napi::Value ceilings(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    const int64_t threads = read_integer(info[0], "threads");
    return submit(info.Env(), "measure the machine",
                  [threads] { return measure_ceilings(threads); });
  });
}

Napi::Value profile(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    auto request = read_profile_request(info[0]);
    auto phase = "profile " + request.op;
    return submit(info.Env(), std::move(phase),
                  [request = std::move(request)] { return run_profile(request); });
  });
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  answers() = Answers::New(env, "opsmith", /*maxQueueSize=*/0, /*initialThreadCount=*/1);
  answers().Unref(env);
  use_libc_memory_for_tensors();
  start_call_thread();
  exports.Set("libtorchVersion", TORCH_VERSION);
  const std::pair<const char*, Napi::Value (*)(const Napi::CallbackInfo&)> functions[] = {
      {"installCrashReporter", install_crash_reporter},
      {"setMemoryLimit", set_limit},
      {"setPhase", set_script_phase},
      {"dumpStack", dump_stack},
      {"busySeconds", busy},
      {"loadLibrary", load},
      {"unloadLibrary", unload},
      {"listOperators", list},
      {"describeOperator", describe},
      {"programFunctions", program_functions},
      {"run", run_call},
      {"record", record},
      {"gradcheck", gradcheck},
      {"opcheck", opcheck},
      {"openBench", open_bench},
      {"sampleBench", sample_bench},
      {"benchLayers", bench_layers},
      {"saveBench", save_bench},
      {"compareBench", compare_bench},
      {"closeBench", close_bench},
      {"replayBench", replay_bench},
      {"profileBench", profile_bench},
      {"device", device},
      {"deviceCeilings", device_ceilings},
      {"machine", machine},
      {"ceilings", ceilings},
      {"profile", profile},
      {"sanitizedCalls", sanitized_calls},
      {"page", page},
      {"histogram", histogram},
      {"release", release},
      {"captureGraph", capture},
      {"readGraph", read_captured},
      {"observeGraph", observe},
      {"releaseGraphs", release_captures},
      {"saveGraph", save_captured},
      {"describeArchive", archive},
  };
  for (const auto& [name, function] : functions) {
    exports.Set(name, Napi::Function::New(env, function, name));
  }
  return exports;
}

}  // namespace
}  // namespace opsmith

static Napi::Object initialise_addon(Napi::Env env, Napi::Object exports) {
  return opsmith::initialise(env, exports);
}

NODE_API_MODULE(opsmith_native, initialise_addon)
