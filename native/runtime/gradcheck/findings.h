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

  GradcheckFinding& add(GradcheckCheck check, CheckStatus status, std::string reason = "");
  void skip(GradcheckCheck check, std::string reason);

  // Runs a check that passes unless it adds a finding or throws; what it throws is its failure.
  bool guarded(GradcheckCheck check, const std::function<void()>& work);

  void not_reached_after(GradcheckCheck last);

 private:
  std::vector<GradcheckFinding>& findings_;
};

}  // namespace opsmith
