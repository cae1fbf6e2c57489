// From JavaScript's objects to the runtime's structs. Shapes are electron/contract's.
// A field of the wrong type throws Failure (request.invalid) naming it; fields left out get the
// contract's defaults.
#pragma once

#include <napi.h>

#include "runtime/gradcheck/gradcheck.h"
#include "runtime/graph/capture.h"
#include "runtime/opcheck/opcheck.h"
#include "runtime/profile/profile.h"
#include "runtime/run.h"
#include "runtime/timing/timed_call.h"

namespace opsmith {

RunRequest read_run_request(const Napi::Value& value);
CaptureRequest read_capture_request(const Napi::Value& value);
GradcheckRequest read_gradcheck_request(const Napi::Value& value);
OpcheckRequest read_opcheck_request(const Napi::Value& value);
// { rtol?, atol? }
Tolerances read_tolerances(const Napi::Value& value);
TimedCallRequest read_timed_call(const Napi::Value& value);
ProfileRequest read_profile_request(const Napi::Value& value);
PageRequest read_page_request(const Napi::Value& value);
std::vector<int64_t> read_integers(const Napi::Value& value, const char* name);
std::string read_string(const Napi::Value& value, const char* name);
int64_t read_integer(const Napi::Value& value, const char* name);

}  // namespace opsmith
