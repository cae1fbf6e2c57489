#include "binding/pending_call.h"

#include <memory>

#include "binding/guard.h"
#include "runtime/devices.h"
#include "runtime/process/call_thread.h"
#include "runtime/virtual_device.h"

namespace opsmith {
namespace {

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

}  // namespace

void PendingCall::work_guarded() {
  const Stage stage(ErrorCode::operator_check);
  try {
    work();
  } catch (...) {
    failure_ = describe_current_exception();
  }
  // What a kernel did wrong shows when somebody waits for the device: that must be the call that
  // launched it, not the next one.
  const auto fault = device_fault();
  keep_kernel_report();
  if (!fault || (failure_ && !fault->is_lasting)) return;
  failure_ = Failure(fault->is_lasting ? ErrorCode::device_lost : ErrorCode::operator_check,
                     fault->message);
}

void PendingCall::settle(Napi::Env env) {
  if (failure_) {
    deferred_.Reject(to_error(env, *failure_).Value());
  } else {
    deferred_.Resolve(result(env));
  }
}

void prepare_pending_calls(Napi::Env env) {
  answers() = Answers::New(env, "opsmith", /*maxQueueSize=*/0, /*initialThreadCount=*/1);
  answers().Unref(env);
}

Napi::Value submit(Napi::Env env, std::string phase, PendingCall* call) {
  if (calls_pending++ == 0) answers().Ref(env);
  const auto promise = call->promise();
  submit_call(
      std::move(phase), [call] { call->work_guarded(); }, [call] { answers().BlockingCall(call); });
  return promise;
}

}  // namespace opsmith
