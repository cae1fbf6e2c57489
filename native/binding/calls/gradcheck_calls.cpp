#include "binding/call_fields.h"
#include "binding/calls.h"
#include "runtime/gradcheck/gradcheck.h"

namespace opsmith {

void fields(auto& visit, GradcheckOptions& options) {
  visit("eps", or_default(options.eps));
  visit("atol", or_default(options.atol));
  visit("rtol", or_default(options.rtol));
  visit("nondet_tol", or_default(options.nondet_tol));
  visit("check_undefined_grad", or_default(options.check_undefined_grad));
  visit("check_grad_dtypes", or_default(options.check_grad_dtypes));
  visit("check_batched_grad", or_default(options.check_batched_grad));
  visit("check_batched_forward_grad", or_default(options.check_batched_forward_grad));
  visit("check_forward_ad", or_default(options.check_forward_ad));
  visit("check_backward_ad", or_default(options.check_backward_ad));
  visit("fast_mode", or_default(options.fast_mode));
  visit("masked", or_default(options.masked));
  visit("check_fwd_over_rev", or_default(options.check_fwd_over_rev));
  visit("check_rev_over_rev", or_default(options.check_rev_over_rev));
  visit("gen_non_contig_grad_outputs", or_default(options.gen_non_contig_grad_outputs));
}

void fields(auto& visit, GradcheckRequest& request) {
  call_fields(visit, request);
  visit("secondOrder", or_default(request.second_order));
  visit("dtype", request.dtype);
  visit("options", request.options);
  visit("keepJacobians", or_default(request.keep_jacobians));
}

void fields(auto& visit, WorstElement& worst) {
  visit("inputIndex", worst.input_index);
  visit("outputIndex", worst.output_index);
  visit("analytical", worst.analytical);
  visit("numerical", worst.numerical);
  visit("analyticalText", worst.analytical_text);
  visit("numericalText", worst.numerical_text);
  visit("absolute", worst.absolute);
  visit("relative", worst.relative);
}

void fields(auto& visit, JacobianComparison& comparison) {
  visit("mismatched", comparison.mismatched);
  visit("total", comparison.total);
  if (comparison.total > 0) visit("maxAbsolute", comparison.max_absolute);
  visit("worst", comparison.worst);
}

void fields(auto& visit, GradcheckFinding& finding) {
  visit("check", finding.check);
  visit("status", finding.status);
  visit("reason", finding.reason);
  visit("cause", finding.cause);
  visit("part", finding.part);
  visit("projected", finding.projected);
  visit("countsInReason", finding.counts_in_reason);
  visit("input", finding.input);
  visit("output", finding.output);
  visit.within(finding.comparison);
  visit("analytical", finding.analytical);
  visit("numerical", finding.numerical);
  visit("error", finding.error);
}

void fields(auto& visit, GradcheckTensor& tensor) {
  visit("name", tensor.name);
  visit("shape", tensor.shape);
  visit("dtype", tensor.dtype);
  visit("requiresGrad", tensor.requires_grad);
}

void fields(auto& visit, GradcheckReport& report) {
  visit("op", report.op);
  visit("ok", report.ok);
  visit("seconds", report.seconds);
  visit("calls", report.calls);
  visit("inputs", report.inputs);
  visit("outputs", report.outputs);
  visit("findings", report.findings);
}

static const Calls gradcheck_calls({{"gradcheck.run", handle(run_gradcheck)}});

}  // namespace opsmith
