// Work for the call thread, and its answer.
#pragma once

#include <napi.h>

#include <optional>
#include <string>
#include <utility>

#include "binding/write_fields.h"
#include "runtime/failure.h"

namespace opsmith {

// Made and destroyed on the JavaScript thread.
class PendingCall {
 public:
  explicit PendingCall(Napi::Env env) : deferred_(Napi::Promise::Deferred::New(env)) {}
  virtual ~PendingCall() = default;
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;

  virtual void work() = 0;                        // on the call thread
  virtual Napi::Value result(Napi::Env env) = 0;  // on the JavaScript thread

  void work_guarded();
  void settle(Napi::Env env);
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
  Napi::Value result(Napi::Env env) override { return write_value(env, *result_); }

 private:
  Work work_;
  std::optional<decltype(std::declval<Work>()())> result_;
};

// Once, when the addon is loaded.
void prepare_pending_calls(Napi::Env env);

// Queues the call and owns it from then on. The crash report says `phase` while its work runs.
Napi::Value submit(Napi::Env env, std::string phase, PendingCall* call);

}  // namespace opsmith
