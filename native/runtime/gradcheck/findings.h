// What gradcheck found, check by check.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/gradcheck/gradcheck.h"

namespace opsmith {

// Fails the running check: throws Failure (operator.check).
[[noreturn]] void fail_check(const std::string& reason);

class GradcheckFindings {
 public:
  explicit GradcheckFindings(std::vector<GradcheckFinding>& findings) : findings_(findings) {}

  GradcheckFinding& add(const std::string& check, const char* status, std::string reason = "");
  void skip(const std::string& check, std::string reason);

  // Runs a check that passes unless it adds a finding or throws; what it throws is its failure.
  bool guarded(const std::string& check, const std::function<void()>& work);

  void not_reached_after(const std::string& last);

 private:
  std::vector<GradcheckFinding>& findings_;
};

}  // namespace opsmith
