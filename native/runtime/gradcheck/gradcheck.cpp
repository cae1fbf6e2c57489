#include "runtime/gradcheck/gradcheck.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <sstream>

#include "runtime/arguments.h"
#include "runtime/callable.h"
#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/gradcheck/gradients.h"
#include "runtime/gradcheck/jacobians.h"
#include "runtime/other_order.h"
#include "runtime/sparse_tensors.h"
#include "runtime/warn_once.h"

namespace opsmith {
namespace {

// The checks of one function, in gradcheck's order. None hides another: what throws is the failure
// of the check that was running.
class Gradcheck {
 public:
  Gradcheck(Differentiable function, const GradcheckOptions& options, bool keep_jacobians,
            GradcheckReport& report)
      : function_(std::move(function)),
        options_(options),
        keep_jacobians_(keep_jacobians),
        report_(report),
        findings_(report.findings) {
    call_ = [this](const Tensors& inputs) {
      ++calls_;
      return function_.call(inputs);
    };
  }

  void run() {
    for (size_t i = 0; i < function_.inputs.size(); ++i)
      report_.inputs.push_back(describe(function_.inputs[i], function_.names[i]));
    if (!findings_.guarded(GradcheckCheck::inputs, [&] { check_inputs(); }))
      return findings_.not_reached_after(GradcheckCheck::inputs);
    const bool called = findings_.guarded(GradcheckCheck::outputs, [&] {
      const std::vector<c10::IValue> inputs(function_.inputs.begin(), function_.inputs.end());
      const OtherOrder other_order(inputs);
      all_outputs_ = call_(function_.inputs);
      other_order.compare({all_outputs_.begin(), all_outputs_.end()}, [this](auto& stack) {
        Tensors tensors;
        for (const auto& value : stack)
          tensors.push_back(value.toTensor());
        const auto outputs = function_.call(tensors);
        stack.assign(outputs.begin(), outputs.end());
      });
      outputs_ = differentiable_outputs(all_outputs_);
      for (size_t i = 0; i < all_outputs_.size(); ++i)
        report_.outputs.push_back(describe(all_outputs_[i], std::to_string(i)));
      check_outputs();
    });
    if (!called) return findings_.not_reached_after(GradcheckCheck::outputs);
    findings_.guarded(GradcheckCheck::no_differentiable_outputs, [&] { check_constant(); });
    JacobianChecks jacobians(function_, call_, all_outputs_, options_, keep_jacobians_, findings_);
    jacobians.check_backward();
    jacobians.check_forward();
    check_batched(jacobians);
    check_gradients_of_zero();
  }

  int64_t calls() const { return calls_; }

 private:
  GradcheckTensor describe(const at::Tensor& tensor, std::string name) const {
    return {std::move(name), tensor.sizes().vec(), dtype_name(tensor.scalar_type()),
            tensor.requires_grad()};
  }

  void check_inputs() {
    bool any = false;
    std::string imprecise;
    for (size_t i = 0; i < function_.inputs.size(); ++i) {
      const auto& input = function_.inputs[i];
      if (!input.requires_grad()) continue;
      any = true;
      const auto stored = is_sparse(input) ? specified_values(input) : input;
      if (stored.layout() != at::kStrided) {
        fail_check(function_.names[i] +
                   " is neither strided nor sparse, but gradcheck supports only strided and sparse "
                   "layouts");
      }
      for (int64_t dim = 0; dim < stored.dim(); ++dim) {
        if (stored.stride(dim) <= 0 && stored.size(dim) > 1) {
          fail_check(function_.names[i] +
                     " has a dimension with stride 0, so elements share memory and gradcheck "
                     "cannot change a single element: call contiguous() on this input");
        }
      }
      const auto dtype = input.scalar_type();
      if (dtype != at::kDouble && dtype != at::kComplexDouble) imprecise = function_.names[i];
    }
    if (!any) fail_check("no input requires grad: set requires_grad on at least one input");
    if (!imprecise.empty()) {
      findings_.add(GradcheckCheck::inputs, CheckStatus::passed,
                    imprecise +
                        " is not in double precision, so finite differences are probably "
                        "too inaccurate: use float64 or complex128");
    }
  }

  void check_outputs() const {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].layout() == at::kStrided) continue;
      fail_check(
          "output " + std::to_string(i) +
          " is not a strided tensor: to check this output, convert the output with to_dense()");
    }
  }

  void check_constant() {
    if (!outputs_.empty()) {
      return findings_.skip(GradcheckCheck::no_differentiable_outputs,
                            "at least one output requires grad, so this check does not apply");
    }
    const auto jacobians = numerical_jacobians(call_, function_.inputs, all_outputs_, options_.eps);
    for (const auto& by_output : jacobians) {
      for (const auto& jacobian : by_output) {
        if (!jacobian.ne(0).any().item<bool>()) continue;
        fail_check(
            "no output requires grad, but the outputs change with the inputs: the operator has no "
            "autograd kernel, or works on detached tensors");
      }
    }
  }

  void check_batched(const JacobianChecks& jacobians) {
    if (!options_.check_batched_forward_grad) {
      findings_.skip(GradcheckCheck::batched_forward_grad, "check_batched_forward_grad is off");
    } else {
      findings_.guarded(GradcheckCheck::batched_forward_grad,
                        [&] { check_batched_forward_gradients(call_, function_.inputs); });
    }
    if (!options_.check_backward_ad)
      return findings_.skip(GradcheckCheck::batched_grad, "check_backward_ad is off");
    if (!options_.check_batched_grad)
      return findings_.skip(GradcheckCheck::batched_grad, "check_batched_grad is off");
    if (outputs_.empty())
      return findings_.skip(GradcheckCheck::batched_grad, "no output requires grad");
    findings_.guarded(GradcheckCheck::batched_grad, [&] {
      const auto differentiable = differentiable_inputs(function_.inputs);
      for (size_t o = 0; o < outputs_.size(); ++o) {
        const auto of = outputs_.size() == 1
                            ? std::string("the gradient of ")
                            : "the gradient of output " + std::to_string(o) + " with respect to ";
        check_batched_gradients(
            function_.inputs, outputs_[o],
            [&](size_t i) { return of + function_.names[differentiable[i]]; },
            jacobians.known_gradients(o));
      }
    });
  }

  void check_gradients_of_zero() {
    const char* off = !options_.check_backward_ad ? "check_backward_ad is off"
                      : outputs_.empty()          ? "no output requires grad"
                                                  : nullptr;
    if (off != nullptr) {
      findings_.skip(GradcheckCheck::zero_grad_output, off);
    } else {
      findings_.guarded(GradcheckCheck::zero_grad_output, [&] {
        check_zero_gradients(function_.inputs, function_.names, outputs_, options_.masked);
      });
    }
    if (off != nullptr || !options_.check_undefined_grad) {
      return findings_.skip(GradcheckCheck::undefined_grad,
                            off != nullptr ? off : "check_undefined_grad is off");
    }
    findings_.guarded(GradcheckCheck::undefined_grad, [&] {
      check_undefined_gradients(function_.inputs, function_.names, outputs_);
    });
  }

  Differentiable function_;
  TensorFunction call_;
  GradcheckOptions options_;
  bool keep_jacobians_;
  GradcheckReport& report_;
  GradcheckFindings findings_;
  Tensors all_outputs_, outputs_;
  std::atomic<int64_t> calls_{0};  // some from other threads
};

bool is_differentiable_dtype(const std::string& name) {
  const auto dtype = dtype_from_name(name);
  return dtype && (at::isFloatingType(*dtype) || at::isComplexType(*dtype));
}

// Calls on small tensors are not worth sharing between threads: with other work on the machine,
// waiting for the other thread took ten times as long as the call (measured).
class ThreadsFor {
 public:
  explicit ThreadsFor(const Tensors& inputs) : before_(at::get_num_threads()) {
    constexpr int64_t grain = 32768;  // ATen's
    for (const auto& input : inputs) {
      if (input.numel() >= grain) return;
    }
    at::set_num_threads(1);
  }
  ~ThreadsFor() {
    if (at::get_num_threads() != before_) at::set_num_threads(before_);
  }
  ThreadsFor(const ThreadsFor&) = delete;
  ThreadsFor& operator=(const ThreadsFor&) = delete;

 private:
  int before_;
};

ProjectInputs make_inputs(const GradcheckRequest& request) {
  ProjectInputs project;
  const auto used = names_in(request.args);
  for (auto spec : request.inputs) {
    project.names.push_back(spec.name);
    if (used.count(spec.name) == 0) continue;
    if (request.dtype && is_differentiable_dtype(spec.dtype)) spec.dtype = *request.dtype;
    project.tensors.emplace(spec.name, make_input(spec));
  }
  return project;
}

}  // namespace

GradcheckReport run_gradcheck(const GradcheckRequest& request) {
  const Stage stage(ErrorCode::operator_unknown);
  const auto callable = find_callable(request.op, request.program);
  const auto project = make_inputs(request);
  auto function =
      differentiable_call(callable, make_arguments(callable.schema, request.args, &project));
  const ThreadsFor threads(function.inputs);
  const WarnOnce warnings;
  GradcheckReport report;
  report.op = callable.name;
  auto options = request.options;
  const auto start = std::chrono::steady_clock::now();
  const at::AutoGradMode recording(true);
  bool can_run = true;
  if (request.second_order) {
    options.check_forward_ad = options.check_fwd_over_rev;
    options.check_backward_ad = options.check_rev_over_rev;
    // An operator that throws here is a finding, not an error.
    can_run = GradcheckFindings(report.findings).guarded(GradcheckCheck::outputs, [&] {
      const auto inputs = function.inputs.size();
      function = gradients_of(function, /*seed=*/0, options.gen_non_contig_grad_outputs);
      const bool any_input = !differentiable_inputs(function.inputs).empty();
      if (function.inputs.size() > inputs || !any_input) return;
      // torch.autograd.gradgradcheck stops here too, in an error of its own.
      fail_check("no output requires grad, so there is no gradient to differentiate");
    });
    if (can_run) report.findings.clear();
  }
  if (can_run) {
    Gradcheck check(std::move(function), options, request.keep_jacobians, report);
    check.run();
    report.calls = check.calls();
  }
  report.ok = true;
  for (const auto& finding : report.findings)
    report.ok = report.ok &&
                (finding.status == CheckStatus::passed || finding.status == CheckStatus::skipped);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace opsmith
