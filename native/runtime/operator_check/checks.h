// What an operator check is, and what checks share. Each check is a file of checks/ that registers
// itself:
//
//   const RegisteredCheck mutation({.name = "mutation", …, .run = check_mutation});
//
// The contract's list of checks is written from these by `npm run generate`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gradcheck/jacobian.h"
#include "runtime/operator_check/operator_call.h"
#include "runtime/operator_check/operator_check.h"
#include "runtime/process/forked_call.h"

namespace opsmith {

struct OperatorCheck {
  const char* name = "";
  const char* title = "";
  const char* meaning = "";  // what it makes sure of
  int order = 0;             // its place in lists; no two checks have the same
  // Null of what a sanitizer finds, which sanitized_calls.h looks for.
  OperatorCheckFinding (*run)(const OperatorCall&) = nullptr;
  // The same in calls made of a call that passed: with other layouts, dtypes, sizes of 1. nullopt
  // where nothing is wrong. Null of a check that makes none.
  std::optional<OperatorCheckFinding> (*run_elsewhere)(const OperatorCall&) = nullptr;
  // Why it is made only when it is named; "" when it is always made.
  const char* only_when_asked = "";
  bool other_shapes = false;  // other calls than the given one are looked at too
  bool each_integer = false;  // with each integer of the ranges that opsmith.json declares
  bool makes_calls = true;    // it can be made of an operator whose call ends the process too
  // Outputs of two calls are compared: without repeatable ones there is nothing to compare.
  bool compares_calls = false;
  // The inputs show the failure, and soon: simpler ones are looked for.
  bool can_shrink = true;
  // It makes the calls unchanged: if it fails, no other check adds information.
  bool makes_unsafe = false;
  // Why, after a failure, outputs of two calls cannot be compared; "" when they can.
  const char* makes_unrepeatable = "";
  bool sanitizer = false;
  // A check whose failure this one would find again; "" for none.
  const char* after = "";
  bool thorough = false;  // only with --thorough
};

class RegisteredCheck {
 public:
  explicit RegisteredCheck(const OperatorCheck& check);
};

// All there are, by their order.
const std::vector<OperatorCheck>& operator_checks();

OperatorCheckFinding passed(std::string reason = "");
OperatorCheckFinding skipped(std::string reason);
OperatorCheckFinding failed(std::string reason, std::string advice = "");
// By a call that ended the copy of the process that it was made in, or did not end itself: `reason`
// holds what the outcome describes.
OperatorCheckFinding ended(const ForkedOutcome& outcome, std::string reason,
                           std::string advice = "");

// "[1, 0]" of the element of `tensor` with this place in row-major order.
std::vector<int64_t> index_of(const at::Tensor& tensor, int64_t flat);
std::string index_text(const std::vector<int64_t>& index);
// With six digits: "0.333333", "nan".
std::string number_text(double number);
// Bit for bit; the first element that differs, in row-major order. Both have the same shape and
// dtype.
bool same_bits(const at::Tensor& left, const at::Tensor& right);
std::optional<int64_t> first_difference(const at::Tensor& left, const at::Tensor& right);

// Calls of the operator: with the inputs asked for (sizes ""), then with as many others as asked
// for.
struct SizedCall {
  std::string sizes;  // "x float64[1, 2]"
  OperatorCall call;
};
std::vector<SizedCall> calls_at_sizes(const OperatorCheckRequest& request);

// Each tensor cut down to sizes of at most `size`; a size that one of the operator's integers may
// be about, or point into, stays as large as that needs.
Tensors with_small_sizes(const OperatorCall& call, int64_t size);

// By its tag; of a function of the program it is not known.
bool draws_random_numbers(const OperatorCall& call);

// Each way in which a tensor can lie otherwise in memory, by its name: "transposed".
std::vector<std::pair<std::string, at::Tensor>> other_layouts(const at::Tensor& tensor);

// ---- gradients.cpp: what gradcheck does not see of a backward, which gives it contiguous
// gradients of its own, and tolerances; nullopt where there is no fault, or no gradient
std::optional<OperatorCheckFinding> gradient_mutation_fault(const OperatorCall& call);
std::optional<OperatorCheckFinding> gradient_layout_fault(const OperatorCall& call);
std::optional<OperatorCheckFinding> gradient_repeat_fault(const OperatorCall& call);
std::optional<OperatorCheckFinding> gradient_unwritten_fault(const OperatorCall& call);
std::optional<OperatorCheckFinding> gradient_precision_fault(const OperatorCall& call);

}  // namespace opsmith
