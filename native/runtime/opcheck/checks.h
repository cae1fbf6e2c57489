// The checks themselves. Each looks at one call and answers what it found.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gradcheck/jacobian.h"
#include "runtime/opcheck/opcheck.h"
#include "runtime/opcheck/operator_call.h"

namespace opsmith {

OpcheckFinding passed(std::string reason = "");
OpcheckFinding skipped(std::string reason);
OpcheckFinding failed(std::string reason, std::string advice = "");

// "[1, 0]" of the element of `tensor` with this place in row-major order.
std::vector<int64_t> index_of(const at::Tensor& tensor, int64_t flat);
std::string index_text(const std::vector<int64_t>& index);
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
std::vector<SizedCall> calls_at_sizes(const OpcheckRequest& request);

// By its tag; of a function of the program it is not known.
bool draws_random_numbers(const OperatorCall& call);

// ---- opcheck_schema.cpp: what the schema says against what happens
OpcheckFinding check_mutation(const OperatorCall& call);
OpcheckFinding check_aliasing(const OperatorCall& call);
OpcheckFinding check_registration(const OperatorCall& call);
OpcheckFinding check_autograd_registration(const OperatorCall& call);
OpcheckFinding check_gradient_lost(const OperatorCall& call);
OpcheckFinding check_meta(const OperatorCall& call);

// ---- opcheck_inputs.cpp: other values, dtypes and sizes
OpcheckFinding check_determinism(const OperatorCall& call);
OpcheckFinding check_small_sizes(const OperatorCall& call);
OpcheckFinding check_dtypes(const OperatorCall& call);
OpcheckFinding check_precision(const OperatorCall& call);
OpcheckFinding check_broadcasting(const OperatorCall& call);
OpcheckFinding check_not_a_number(const OperatorCall& call);

// ---- opcheck_large.cpp
OpcheckFinding check_large(const OperatorCall& call);

// ---- opcheck_layouts.cpp: the same values, otherwise in memory
// Each way in which a tensor can lie otherwise, by its name: "transposed".
std::vector<std::pair<std::string, at::Tensor>> other_layouts(const at::Tensor& tensor);
OpcheckFinding check_layouts(const OperatorCall& call);

// ---- opcheck_modes.cpp: the same call in other circumstances
OpcheckFinding check_grad_modes(const OperatorCall& call);
OpcheckFinding check_threads(const OperatorCall& call);

// ---- opcheck_memory.cpp: what is read and written
OpcheckFinding check_unwritten(const OperatorCall& call);
OpcheckFinding check_writes_outside(const OperatorCall& call);
OpcheckFinding check_reads_outside(const OperatorCall& call);
OpcheckFinding check_leaks(const OperatorCall& call);

// ---- opcheck_gradients.cpp: what gradcheck does not see of a backward, which gives it contiguous
// gradients of its own, and tolerances; nullopt where there is no fault, or no gradient
std::optional<OpcheckFinding> gradient_mutation_fault(const OperatorCall& call);
std::optional<OpcheckFinding> gradient_layout_fault(const OperatorCall& call);
std::optional<OpcheckFinding> gradient_precision_fault(const OperatorCall& call);

}  // namespace opsmith
