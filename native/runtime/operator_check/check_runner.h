// Runs operator checks in copies of the process: a call that ends its copy costs one verdict.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runtime/operator_check/cases.h"
#include "runtime/operator_check/checks.h"

namespace opsmith {

class CheckRunner {
 public:
  // `maker` must outlive it. `made_up`: the given call was made from the schema, so that a call
  // that ends its process may be the fault of its inputs.
  CheckRunner(const CaseMaker& maker, bool made_up);

  // Of the given call and, where the check looks at them, of others; a failure is shrunk.
  OperatorCheckFinding run(const OperatorCheck& check);

 private:
  struct Drawn {
    Draw draw;
    OperatorCall call;
    bool is_of_integer = false;  // for checks that look at each integer of a range
    bool is_usable = true;  // a call that ends its process is one check's finding, not every one's
  };
  // What a check found, in which of `calls_`, and how its copy ended if it did.
  struct Attempt {
    ForkedOutcome outcome;
    OperatorCheckFinding finding;
    size_t at = 0;
  };

  Attempt attempt(const OperatorCheck& check, const std::vector<size_t>& turns) const;
  ForkedOutcome plain_call(const OperatorCall& call) const;
  OperatorCheckFinding after_end(const OperatorCheck& check, const Attempt& attempt);
  OperatorCheckFinding concluded(const OperatorCheck& check, size_t at, bool is_plain,
                                 OperatorCheckFinding finding);
  OperatorCheckFinding shrunk(const OperatorCheck& check, const Draw& draw,
                              OperatorCheckFinding finding) const;
  // What kernels did wrong in the call of this draw.
  KernelReport kernel_report(const Draw& draw) const;
  std::vector<size_t> turns_of(const OperatorCheck& check) const;

  const CaseMaker& maker_;
  bool made_up_;
  bool in_copies_ = true;        // a copy cannot use a device
  bool takes_integers_ = false;  // which may point outside of what they are given with
  std::vector<Drawn> calls_;     // the given one first
  ForkedOutcome given_;          // the given call as it is, in a copy
  double patience_in_seconds_ = 0;
  std::string unsafe_;  // why no other check runs; "" while they run
};

}  // namespace opsmith
