// opsmith_native.node: electron/host/addon.ts is its interface.
#include <napi.h>
#include <torch/csrc/api/include/torch/version.h>

#include <string>
#include <utility>

#include "binding/calls.h"
#include "binding/guard.h"
#include "runtime/failure.h"
#include "runtime/process/call_thread.h"
#include "runtime/process/crash_report.h"
#include "runtime/process/descriptors.h"
#include "runtime/process/memory_limit.h"
#include "runtime/process/process_tree.h"
#include "runtime/process/tensor_memory.h"
#include "runtime/virtual_device.h"

namespace opsmith {
namespace {

Napi::Value install_crash_reporter(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    std::string path;
    read_value(info[0], path, Place{.name = "path"});
    install_crash_report(path);
    return info.Env().Undefined();
  });
}

Napi::Value contain(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    int64_t channel = 0;
    read_value(info[0], channel, Place{.name = "channel"});
    close_inherited_descriptors(static_cast<int>(channel));
    adopt_descendants();
    return info.Env().Undefined();
  });
}

Napi::Value set_process_limits(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    int64_t bytes = 0, processes = 0;
    read_value(info[0], bytes, Place{.name = "bytes"});
    read_value(info[1], processes, Place{.name = "processes"});
    set_limits(bytes > 0 ? static_cast<uint64_t>(bytes) : 0, processes);
    return info.Env().Undefined();
  });
}

Napi::Value install_virtual_device(const Napi::CallbackInfo& info) {
  return guard(info, [&] {
    std::string library, kernel_variant;
    read_value(info[0], library, Place{.name = "library"});
    read_value(info[1], kernel_variant, Place{.name = "kernelVariant"});
    give_virtual_device(library, kernel_variant);
    return info.Env().Undefined();
  });
}

Napi::Value take_reports(const Napi::CallbackInfo& info) {
  return guard(info, [&] { return write_value(info.Env(), take_kernel_reports()); });
}

Napi::Value end_started_processes(const Napi::CallbackInfo& info) {
  end_descendants();
  return info.Env().Undefined();
}

Napi::Value submit_named(const Napi::CallbackInfo& info) {
  std::string name, phase;
  read_value(info[0], name, Place{.name = "name"});
  if (is_given(info[2])) read_value(info[2], phase, Place{.name = "phase"});
  for (const auto& known : all_calls()) {
    if (name == known.name) return known.handler(info.Env(), info[1], std::move(phase));
  }
  throw Failure(ErrorCode::request_invalid, "The native addon has no function " + name,
                "The addon is older or newer than the rest of Opsmith: run opsmith setup.");
}

// call(name, input, phase): a promise of the answer, rejected too where the input does not fit.
Napi::Value call(const Napi::CallbackInfo& info) {
  try {
    return submit_named(info);
  } catch (const Napi::Error&) {
    throw;
  } catch (...) {
    const auto deferred = Napi::Promise::Deferred::New(info.Env());
    deferred.Reject(to_error(info.Env(), describe_current_exception()).Value());
    return deferred.Promise();
  }
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  prepare_pending_calls(env);
  use_libc_memory_for_tensors();
  start_call_thread();
  std::vector<std::string> names;
  for (const auto& known : all_calls())
    names.emplace_back(known.name);
  exports.Set("libtorchVersion", TORCH_VERSION);
  exports.Set("calls", write_value(env, names));
  exports.Set("call", Napi::Function::New(env, call, "call"));
  exports.Set("installCrashReporter",
              Napi::Function::New(env, install_crash_reporter, "installCrashReporter"));
  exports.Set("installVirtualDevice",
              Napi::Function::New(env, install_virtual_device, "installVirtualDevice"));
  exports.Set("takeKernelReports", Napi::Function::New(env, take_reports, "takeKernelReports"));
  exports.Set("contain", Napi::Function::New(env, contain, "contain"));
  exports.Set("setLimits", Napi::Function::New(env, set_process_limits, "setLimits"));
  exports.Set("endDescendants", Napi::Function::New(env, end_started_processes, "endDescendants"));
  return exports;
}

}  // namespace

std::vector<Call>& all_calls() {
  static std::vector<Call> calls;
  return calls;
}

}  // namespace opsmith

static Napi::Object initialise_addon(Napi::Env env, Napi::Object exports) {
  return opsmith::initialise(env, exports);
}

NODE_API_MODULE(opsmith_native, initialise_addon)
