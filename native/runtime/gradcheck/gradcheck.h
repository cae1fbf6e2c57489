// torch.autograd.gradcheck and gradgradcheck without Python: the same checks with the same names
// and defaults (torch/autograd/gradcheck.py of libtorch 2.13), each reported on its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/check_status.h"
#include "runtime/gradcheck/jacobian_mismatch.h"
#include "runtime/inputs.h"
#include "runtime/literal.h"
#include "runtime/program/program.h"
#include "runtime/tensor_store.h"

namespace opsmith {

// contract/gradcheck.ts's gradcheckOptions.
struct GradcheckOptions {
  double eps = 1e-6, atol = 1e-5, rtol = 1e-3, nondet_tol = 0;
  bool check_undefined_grad = true;
  bool check_grad_dtypes = false;
  bool check_batched_grad = false;
  bool check_batched_forward_grad = false;
  bool check_forward_ad = false;
  bool check_backward_ad = true;
  bool fast_mode = false;
  bool masked = false;  // elements that a sparse input does not specify have no gradient
  // Of gradgradcheck, in place of the two above it.
  bool check_fwd_over_rev = false;
  bool check_rev_over_rev = true;
  bool gen_non_contig_grad_outputs = false;
};

// contract/gradcheck.ts's gradcheckRequest.
struct GradcheckRequest {
  std::string op;
  std::vector<Literal> args;
  std::vector<InputSpec> inputs;
  std::optional<ProgramSource> program;
  bool second_order = false;         // gradgradcheck
  std::optional<std::string> dtype;  // of every floating or complex input, in place of its own
  GradcheckOptions options;
  bool keep_jacobians = false;
};

// In the order in which they are made.
enum class GradcheckCheck {
  inputs,
  outputs,
  no_differentiable_outputs,
  backward,
  gradient_size,
  gradient_dtype,
  reentrant,
  forward,
  undefined_tangent,
  batched_forward_grad,
  batched_grad,
  zero_grad_output,
  undefined_grad
};
constexpr auto texts_of(GradcheckCheck) {
  return enum_texts<GradcheckCheck>(
      {{GradcheckCheck::inputs, "inputs"},
       {GradcheckCheck::outputs, "outputs"},
       {GradcheckCheck::no_differentiable_outputs, "no_differentiable_outputs"},
       {GradcheckCheck::backward, "backward"},
       {GradcheckCheck::gradient_size, "gradient_size"},
       {GradcheckCheck::gradient_dtype, "gradient_dtype"},
       {GradcheckCheck::reentrant, "reentrant"},
       {GradcheckCheck::forward, "forward"},
       {GradcheckCheck::undefined_tangent, "undefined_tangent"},
       {GradcheckCheck::batched_forward_grad, "batched_forward_grad"},
       {GradcheckCheck::batched_grad, "batched_grad"},
       {GradcheckCheck::zero_grad_output, "zero_grad_output"},
       {GradcheckCheck::undefined_grad, "undefined_grad"}});
}

// Which part of complex outputs (in forward mode: of complex inputs) a Jacobian is of.
enum class ComplexPart { whole, real, imaginary };
constexpr auto texts_of(ComplexPart) {
  return enum_texts<ComplexPart>({{ComplexPart::whole, ""},
                                  {ComplexPart::real, "real"},
                                  {ComplexPart::imaginary, "imaginary"}});
}

// contract/gradcheck.ts's gradcheckFinding.
struct GradcheckFinding {
  GradcheckCheck check = GradcheckCheck::inputs;
  CheckStatus status = CheckStatus::passed;
  std::string reason;  // of a failure, a skip; "" of what passed
  std::string cause;   // what the pattern of a failure tells; "" when nothing
  ComplexPart part = ComplexPart::whole;
  bool projected = false;         // fast mode: random projections of the Jacobians were compared
  bool counts_in_reason = false;  // `reason` says how many elements differ
  std::optional<int64_t> input, output;  // positions in the report's lists
  JacobianComparison comparison;
  std::optional<TensorDetail> analytical, numerical, error;
};

struct GradcheckTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::string dtype;
  bool requires_grad = false;
};

// contract/gradcheck.ts's gradcheckReport.
struct GradcheckReport {
  std::string op;
  bool ok = false;  // no check failed
  double seconds = 0;
  int64_t calls = 0;  // of the function
  std::vector<GradcheckTensor> inputs, outputs;
  std::vector<GradcheckFinding> findings;
};

// Runs on the call thread. Throws Failure (operator.unknown, input.invalid, device.unavailable,
// program.compile); what the operator throws is a finding.
GradcheckReport run_gradcheck(const GradcheckRequest& request);

}  // namespace opsmith
