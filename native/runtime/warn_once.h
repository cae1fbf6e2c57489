// Prints each warning once, while this lives: a check calls an operator thousands of times, also
// from threads that are given this handler.
#pragma once

#include <c10/util/Exception.h>

#include <mutex>
#include <set>
#include <string>

namespace opsmith {

class WarnOnce : private c10::WarningHandler {
 public:
  WarnOnce() : before_(c10::WarningUtils::get_warning_handler()), guard_(this) {}
  WarnOnce(const WarnOnce&) = delete;
  WarnOnce& operator=(const WarnOnce&) = delete;

 private:
  void process(const c10::Warning& warning) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (said_.insert(warning.msg()).second) before_->process(warning);
  }

  std::mutex mutex_;
  std::set<std::string> said_;
  c10::WarningHandler* before_;
  c10::WarningUtils::WarningHandlerGuard guard_;
};

}  // namespace opsmith
