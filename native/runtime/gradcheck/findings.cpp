#include "runtime/gradcheck/findings.h"

#include "runtime/failure.h"

namespace opsmith {

void fail_check(const std::string& reason) {
  throw Failure(ErrorCode::operator_check, reason);
}

GradcheckFinding& GradcheckFindings::add(GradcheckCheck check, CheckStatus status,
                                         std::string reason) {
  auto& finding = findings_.emplace_back();
  finding.check = check;
  finding.status = status;
  finding.reason = std::move(reason);
  return finding;
}

void GradcheckFindings::skip(GradcheckCheck check, std::string reason) {
  add(check, CheckStatus::skipped, std::move(reason));
}

bool GradcheckFindings::guarded(GradcheckCheck check, const std::function<void()>& work) {
  const size_t before = findings_.size();
  const Stage stage(ErrorCode::operator_check);
  // What user code throws is what a check is for: an outcome, as in the other reports.
  try {
    work();
  } catch (...) {
    const auto message = describe_current_exception().message;
    add(check, CheckStatus::failed, message.substr(0, message.find('\n')));
    return false;
  }
  if (findings_.size() == before) add(check, CheckStatus::passed);
  return true;
}

void GradcheckFindings::not_reached_after(GradcheckCheck last) {
  for (const auto& [check, name] : texts_of(GradcheckCheck{})) {
    if (check <= last) continue;
    add(check, CheckStatus::not_reached,
        "the check \"" + std::string(enum_text(last)) + "\" failed");
  }
}

}  // namespace opsmith
