// The one place where C++ exceptions become JavaScript errors.
#pragma once

#include <napi.h>

#include "runtime/failure.h"

namespace opsmith {

// An Error whose `code` is one of contract's error codes, with `detail`, `hint`, `file`, `line` and
// `column` where the failure has them.
Napi::Error to_error(Napi::Env env, const Failure& failure);

// For callbacks on the JavaScript thread: what `work` throws becomes a JavaScript exception.
// Napi::Error passes; its own class of node-addon-api throws it.
template <class Work>
Napi::Value guard(const Napi::CallbackInfo& info, Work work) {
  try {
    return work();
  } catch (const Napi::Error&) {
    throw;
  } catch (...) {
    throw to_error(info.Env(), describe_current_exception());
  }
}

}  // namespace opsmith
