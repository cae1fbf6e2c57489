// The calls that the op host answers. Each file of calls adds its own:
//
//   const Calls timing_calls({{"timing.sample", handle(sample_timing)}, …});
//
// Names and fields are those of electron/contract/host-calls.ts, which is compared with this table
// when the op host starts. The fields (fields.h) of a handler's input and output read its request
// and write its answer.
#pragma once

#include <napi.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "binding/pending_call.h"
#include "binding/read_fields.h"

namespace opsmith {

using CallHandler =
    std::function<Napi::Value(Napi::Env env, const Napi::Value& input, std::string phase)>;

struct Call {
  const char* name;
  CallHandler handler;
};

// All calls, in any order.
std::vector<Call>& all_calls();

struct Calls {
  Calls(std::initializer_list<Call> calls) {
    all_calls().insert(all_calls().end(), calls.begin(), calls.end());
  }
};

template <class Work>
struct RequestOf : RequestOf<decltype(&Work::operator())> {};
template <class Answer, class Request>
struct RequestOf<Answer (*)(const Request&)> {
  using type = Request;
};
template <class Answer, class Work, class Request>
struct RequestOf<Answer (Work::*)(const Request&) const> {
  using type = Request;
};

template <class Work>
auto read_request(const Napi::Value& input) {
  typename RequestOf<Work>::type request;
  read_value(input, request, Place{});
  return request;
}

// `work` takes a request, or nothing, and runs on the call thread.
template <class Work>
CallHandler handle(Work work) {
  return [work](Napi::Env env, const Napi::Value& input, std::string phase) {
    if constexpr (std::is_invocable_v<Work>) {
      return submit(env, std::move(phase), new TypedCall<Work>(env, work));
    } else {
      auto bound = [work, request = read_request<Work>(input)] { return work(request); };
      return submit(env, std::move(phase), new TypedCall<decltype(bound)>(env, std::move(bound)));
    }
  };
}

// `work` takes nothing and is done at once, on the JavaScript thread, while a call may be running.
template <class Work>
CallHandler answer_at_once(Work work) {
  return [work](Napi::Env env, const Napi::Value&, const std::string&) {
    const auto deferred = Napi::Promise::Deferred::New(env);
    deferred.Resolve(write_value(env, work()));
    return deferred.Promise();
  };
}

}  // namespace opsmith
