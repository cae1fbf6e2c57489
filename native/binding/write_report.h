// From the runtime's structs to JavaScript's objects. Shapes are electron/contract's.
#pragma once

#include <napi.h>

#include "runtime/gradcheck/gradcheck.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/modules.h"
#include "runtime/graph/observe.h"
#include "runtime/library.h"
#include "runtime/opcheck/opcheck.h"
#include "runtime/opcheck/sanitized_calls.h"
#include "runtime/profile/profile.h"
#include "runtime/program/program.h"
#include "runtime/registry.h"
#include "runtime/run.h"
#include "runtime/timing/machine.h"
#include "runtime/timing/timing.h"

namespace opsmith {

Napi::Value write(Napi::Env env, const std::vector<OperatorSummary>& operators);
Napi::Value write(Napi::Env env, const OperatorDetail& detail);
Napi::Value write(Napi::Env env, const LoadReport& report);
Napi::Value write(Napi::Env env, const UnloadReport& report);
Napi::Value write(Napi::Env env, const std::vector<ProgramFunction>& functions);
Napi::Value write(Napi::Env env, const RunReport& report);
Napi::Value write(Napi::Env env, const TensorPage& page);
Napi::Value write(Napi::Env env, const Histogram& histogram);
Napi::Value write(Napi::Env env, const CaptureReport& report);
Napi::Value write(Napi::Env env, const GraphText& text);
Napi::Value write(Napi::Env env, const GraphObservation& observation);
Napi::Value write(Napi::Env env, const GraphArchive& archive);
Napi::Value write(Napi::Env env, const GradcheckReport& report);
Napi::Value write(Napi::Env env, const OpcheckReport& report);
Napi::Value write(Napi::Env env, const OpenedTiming& opened);
Napi::Value write(Napi::Env env, const TimingSamples& samples);
Napi::Value write(Napi::Env env, const TimingLayers& layers);
Napi::Value write(Napi::Env env, const ProfileTrace& trace);
Napi::Value write(Napi::Env env, const std::vector<Comparison>& comparisons);
Napi::Value write(Napi::Env env, const ReplayedCall& replayed);
Napi::Value write(Napi::Env env, const DeviceFacts& facts);
Napi::Value write(Napi::Env env, const DeviceCeilings& ceilings);
Napi::Value write(Napi::Env env, const MachineFacts& facts);
Napi::Value write(Napi::Env env, const MachineCeilings& ceilings);
Napi::Value write(Napi::Env env, const SanitizedReport& report);
Napi::Value write(Napi::Env env, int64_t count);

Napi::Object write_tensor(Napi::Env env, const TensorDetail& tensor);
Napi::Object write_comparison(Napi::Env env, const Comparison& comparison);

}  // namespace opsmith
