// The one exception of the runtime, and the one place that reads everybody else's.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace opsmith {

// Becomes a JavaScript Error with the same fields. `code` is one of contract/outcome.ts's
// errorCode.
class Failure : public std::exception {
 public:
  Failure(std::string code, std::string message, std::string hint = "")
      : code(std::move(code)), message(std::move(message)), hint(std::move(hint)) {}

  const char* what() const noexcept override { return message.c_str(); }

  std::string code;
  std::string message;
  std::string hint;    // what to do about it; "" when there is nothing to say
  std::string detail;  // the raw text behind the message; "" when it would say the same
  std::string file;    // "" when the failure belongs to no place in a source
  int line = 0;        // 1-based; 0 when unknown
  int column = 0;      // 1-based; 0 when unknown
};

// Says what this thread does from here on: the code that an exception of libtorch gets, and what
// its message is about ("input x"; "" for the operator itself). Plain assignment and no scope
// guard, since the exception has left every scope when it is read.
void enter_stage(const char* code, std::string subject = "");

// Reads the exception being handled; call it within a catch block only.
Failure describe_current_exception();

// "std::vector<int>" for "St6vectorIiSaIiEE"; the name itself when it cannot be demangled.
std::string demangle(const char* name);

}  // namespace opsmith
