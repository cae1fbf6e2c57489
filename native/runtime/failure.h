// The only exception that the runtime throws, and the only place that reads the exceptions of
// others.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "runtime/enum_text.h"

namespace opsmith {

// The values of contract/outcome.ts's errorCode that the runtime uses.
enum class ErrorCode {
  derivative_missing,
  device_lost,
  device_unavailable,
  input_invalid,
  internal,
  io,
  library_load,
  operator_check,
  operator_unknown,
  program_compile,
  request_invalid,
  toolchain_missing
};
constexpr auto texts_of(ErrorCode) {
  return enum_texts<ErrorCode>({{ErrorCode::derivative_missing, "derivative.missing"},
                                {ErrorCode::device_lost, "device.lost"},
                                {ErrorCode::device_unavailable, "device.unavailable"},
                                {ErrorCode::input_invalid, "input.invalid"},
                                {ErrorCode::internal, "internal"},
                                {ErrorCode::io, "io"},
                                {ErrorCode::library_load, "library.load"},
                                {ErrorCode::operator_check, "operator.check"},
                                {ErrorCode::operator_unknown, "operator.unknown"},
                                {ErrorCode::program_compile, "program.compile"},
                                {ErrorCode::request_invalid, "request.invalid"},
                                {ErrorCode::toolchain_missing, "toolchain.missing"}});
}

// Becomes a JavaScript Error with the same fields.
class Failure : public std::exception {
 public:
  Failure(ErrorCode code, std::string message, std::string hint = "")
      : code(code), message(std::move(message)), hint(std::move(hint)) {}

  const char* what() const noexcept override { return message.c_str(); }

  ErrorCode code;
  std::string message;
  std::string hint;    // what to do about it; "" when there is nothing to say
  std::string detail;  // the raw text behind the message; "" when it would say the same
  std::string file;    // "" when the failure belongs to no place in a source
  int line = 0;        // 1-based; 0 when unknown
  int column = 0;      // 1-based; 0 when unknown
};

// What this thread does while the object lives: the code that an exception of libtorch gets, and
// what its message is about ("input x"; "" for the operator itself). Stages nest. The innermost
// stage that an exception left gives its code.
class Stage {
 public:
  explicit Stage(ErrorCode code, std::string subject = "");
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  ErrorCode code_before_;
  std::string subject_before_;
  int exceptions_before_;
};

// Reads the exception being handled; call it within a catch block only.
Failure describe_current_exception();

// "std::vector<int>" for "St6vectorIiSaIiEE"; the name itself when it cannot be demangled.
std::string demangle(const char* name);

}  // namespace opsmith
