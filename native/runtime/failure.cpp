#include "runtime/failure.h"

#include <c10/util/Exception.h>
#include <cxxabi.h>
#include <torch/csrc/jit/frontend/error_report.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <regex>

namespace opsmith {
namespace {

thread_local ErrorCode stage_code = ErrorCode::operator_check;
thread_local std::string stage_subject;

Failure failure_here(std::string message) {
  if (!stage_subject.empty()) message = stage_subject + ": " + message;
  return Failure(stage_code, std::move(message));
}

// libtorch's backtraces begin with "Exception raised from NAME at FILE:LINE (most recent call
// first):".
void read_origin(const std::string& backtrace, Failure& failure) {
  static const std::regex origin("Exception raised from .* at (.+):([0-9]+) \\(most recent");
  std::smatch match;
  const std::string first_line = backtrace.substr(0, backtrace.find('\n'));
  if (std::regex_search(first_line, match, origin)) {
    // libtorch's own sources lie where it was built: no place to look for who reads this.
    const std::filesystem::path file(match[1].str());
    std::error_code ignored;
    if (file.is_absolute() && !std::filesystem::exists(file, ignored)) return;
    failure.file = match[1];
    failure.line = std::atoi(match[2].str().c_str());
  }
}

// Cuts libtorch's page about dispatch keys down to its first sentence.
void shorten_missing_kernel(Failure& failure) {
  const auto end = failure.message.find(" This could be because the operator doesn't exist");
  if (failure.message.find("Could not run '") == std::string::npos || end == std::string::npos)
    return;
  failure.detail = failure.message;
  failure.message.resize(end);
  failure.hint =
      "The operator has no kernel for this backend: register a kernel with TORCH_LIBRARY_IMPL.";
}

Failure describe(const c10::Error& error) {
  auto failure = failure_here(error.what_without_backtrace());
  failure.detail = error.what();
  const auto& lazy = error.backtrace();
  if (lazy) read_origin(lazy->get(), failure);
  shorten_missing_kernel(failure);
  return failure;
}

// A place as libtorch prints it: `  File "x.py", line 3`, some lines of context, then the marked
// line.
void read_script_place(const std::string& text, size_t from, Failure& failure) {
  static const std::regex place("File \"([^\"]*)\", line ([0-9]+)");
  std::smatch match;
  const std::string tail = text.substr(from);
  if (!std::regex_search(tail, match, place)) return;
  failure.file = match[1];
  failure.line = std::atoi(match[2].str().c_str());
  const size_t mark = tail.find("<--- HERE", static_cast<size_t>(match.position()));
  if (mark == std::string::npos) return;
  const size_t line_start = tail.rfind('\n', mark) + 1;
  const size_t tilde = tail.find('~', line_start);
  if (tilde < mark) failure.column = static_cast<int>(tilde - line_start) + 1;
}

std::string trimmed(std::string text) {
  const auto is_space = [](char c) { return c == '\n' || c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.back()))
    text.pop_back();
  size_t start = 0;
  while (start < text.size() && is_space(text[start]))
    ++start;
  return text.substr(start);
}

// What the TorchScript compiler and parser say: words, then the place, then lines of context. A
// wrapped message may have several places, of which the first is where it stopped.
Failure describe_compile_error(const std::string& text) {
  const auto place = text.find("\n  File \"");
  auto words = trimmed(text.substr(0, place));
  for (const char* ending : {":", " here"}) {
    const size_t length = std::string(ending).size();
    while (words.size() > length && words.compare(words.size() - length, length, ending) == 0) {
      words = trimmed(words.substr(0, words.size() - length));
    }
  }
  Failure failure(ErrorCode::program_compile, words.empty() ? trimmed(text) : words);
  failure.detail = trimmed(text);
  read_script_place(text, 0, failure);
  // What follows is advice that knows nothing of operators built a moment ago.
  if (words.rfind("Unknown builtin op: ", 0) == 0) {
    failure.message = words.substr(0, words.find('\n'));
    while (failure.message.back() == '.')
      failure.message.pop_back();
    failure.hint =
        "No operator of this name is registered. Call the project's operators as "
        "torch.ops.NAMESPACE.NAME.";
  }
  return failure;
}

// The interpreter wraps what a program threw: a traceback of script lines, then "RuntimeError:
// words".
bool describe_script_error(const std::string& text, Failure& failure) {
  if (text.find("Traceback of TorchScript") == std::string::npos) return false;
  const size_t words = text.rfind("Error: ");
  if (words == std::string::npos) return false;
  failure.message = trimmed(text.substr(words + 7));
  const size_t backtrace = failure.message.find("\nException raised from ");
  if (backtrace != std::string::npos) failure.message.resize(backtrace);
  failure.detail = text;
  const size_t last_place = text.rfind("  File \"", words);
  if (last_place != std::string::npos) read_script_place(text, last_place, failure);
  return true;
}

Failure describe(const std::exception& error) {
  const std::string text = error.what();
  // The parser throws what is no ErrorReport.
  if (stage_code == ErrorCode::program_compile && text.find("\n  File \"") != std::string::npos) {
    return describe_compile_error(text);
  }
  auto failure = failure_here(text);
  if (describe_script_error(text, failure)) return failure;
  failure.detail = demangle(typeid(error).name()) + ": " + text;
  return failure;
}

}  // namespace

Stage::Stage(ErrorCode code, std::string subject)
    : code_before_(std::exchange(stage_code, code)),
      subject_before_(std::exchange(stage_subject, std::move(subject))),
      exceptions_before_(std::uncaught_exceptions()) {}

Stage::~Stage() {
  if (std::uncaught_exceptions() > exceptions_before_) return;
  stage_code = code_before_;
  stage_subject = std::move(subject_before_);
}

std::string demangle(const char* name) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

Failure describe_current_exception() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const c10::Error& error) {
    return describe(error);
  } catch (const torch::jit::ErrorReport& error) {
    return describe_compile_error(error.what());
  } catch (const std::bad_alloc&) {
    return failure_here("out of memory: an allocation in C++ failed (std::bad_alloc)");
  } catch (const std::exception& error) {
    return describe(error);
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return failure_here("the code threw a C++ exception of type " +
                        (type ? demangle(type->name()) : std::string("unknown")) +
                        ", which is not derived from std::exception");
  }
}

}  // namespace opsmith
