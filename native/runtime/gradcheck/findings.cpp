#include "runtime/gradcheck/findings.h"

#include "runtime/failure.h"

namespace opsmith {

void fail_check(const std::string& reason) {
  throw Failure("operator.check", reason);
}

GradcheckFinding& GradcheckFindings::add(const std::string& check, const char* status,
                                         std::string reason) {
  auto& finding = findings_.emplace_back();
  finding.check = check;
  finding.status = status;
  finding.reason = std::move(reason);
  return finding;
}

void GradcheckFindings::skip(const std::string& check, std::string reason) {
  add(check, "skipped", std::move(reason));
}

bool GradcheckFindings::guarded(const std::string& check, const std::function<void()>& work) {
  const size_t before = findings_.size();
  enter_stage("operator.check");
  // What user code throws is what a check is for: an outcome, as in the other reports.
  try {
    work();
  } catch (...) {
    const auto message = describe_current_exception().message;
    add(check, "failed", message.substr(0, message.find('\n')));
    return false;
  }
  if (findings_.size() == before) add(check, "passed");
  return true;
}

void GradcheckFindings::not_reached_after(const std::string& last) {
  bool after = false;
  for (const char* check :
       {"inputs", "outputs", "no_differentiable_outputs", "backward", "gradient_size",
        "gradient_dtype", "reentrant", "forward", "undefined_tangent", "batched_forward_grad",
        "batched_grad", "zero_grad_output", "undefined_grad"}) {
    if (after) add(check, "not reached", "the check of the " + last + " failed");
    if (last == check) after = true;
  }
}

}  // namespace opsmith
