#include "runtime/gradcheck.h"

#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <chrono>
#include <functional>
#include <sstream>

#include "runtime/arguments.h"
#include "runtime/callable.h"
#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/gradcheck_gradients.h"
#include "runtime/jacobian.h"

namespace opsmith {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string ordinal(const char* what, size_t index) {
  return std::string(what) + " " + std::to_string(index);
}

// The checks of one function, in gradcheck's order. None hides another: what throws is the failure
// of the check that was running.
class Gradcheck {
 public:
  Gradcheck(Differentiable function, const GradcheckOptions& options, bool keep_jacobians,
            GradcheckReport& report)
      : function_(std::move(function)),
        options_(options),
        keep_jacobians_(keep_jacobians),
        report_(report) {
    call_ = [this](const Tensors& inputs) {
      ++report_.calls;
      return function_.call(inputs);
    };
  }

  void run() {
    for (size_t i = 0; i < function_.inputs.size(); ++i)
      report_.inputs.push_back(describe(function_.inputs[i], function_.names[i]));
    if (!guarded("inputs", [&] { check_inputs(); })) return not_reached_after("inputs");
    const bool called = guarded("outputs", [&] {
      all_outputs_ = call_(function_.inputs);
      outputs_ = differentiable_outputs(all_outputs_);
      for (size_t i = 0; i < all_outputs_.size(); ++i)
        report_.outputs.push_back(describe(all_outputs_[i], std::to_string(i)));
      check_outputs();
    });
    if (!called) return not_reached_after("outputs");
    guarded("no_differentiable_outputs", [&] { check_constant(); });
    check_backward();
    check_forward();
    check_batched();
    check_gradients_of_zero();
  }

 private:
  GradcheckTensor describe(const at::Tensor& tensor, std::string name) const {
    return {std::move(name), tensor.sizes().vec(), dtype_name(tensor.scalar_type()),
            tensor.requires_grad()};
  }

  // ---- findings

  GradcheckFinding& add(const std::string& check, const char* status, std::string reason = "") {
    auto& finding = report_.findings.emplace_back();
    finding.check = check;
    finding.status = status;
    finding.reason = std::move(reason);
    return finding;
  }

  void skip(const std::string& check, std::string reason) {
    add(check, "skipped", std::move(reason));
  }

  // Runs a check that has nothing to say when it passes; what it throws is its failure.
  bool guarded(const std::string& check, const std::function<void()>& work) {
    const size_t before = report_.findings.size();
    enter_stage("operator.check");
    // What user code throws is what a check is for: an outcome, as in the other reports.
    try {
      work();
    } catch (...) {
      add(check, "failed", first_line(describe_current_exception().message));
      return false;
    }
    if (report_.findings.size() == before) add(check, "passed");
    return true;
  }

  [[noreturn]] static void fail(const std::string& reason) {
    throw Failure("operator.check", reason);
  }

  void not_reached_after(const std::string& last) {
    bool after = false;
    for (const char* check :
         {"inputs", "outputs", "no_differentiable_outputs", "backward", "gradient_size",
          "gradient_dtype", "reentrant", "forward", "undefined_tangent", "batched_forward_grad",
          "batched_grad", "zero_grad_output", "undefined_grad"}) {
      if (after) add(check, "not reached", "the check of the " + last + " failed");
      if (last == check) after = true;
    }
  }

  // ---- the checks

  void check_inputs() {
    bool any = false;
    std::string imprecise;
    for (size_t i = 0; i < function_.inputs.size(); ++i) {
      const auto& input = function_.inputs[i];
      if (!input.requires_grad()) continue;
      any = true;
      if (input.layout() != at::kStrided) {
        fail(function_.names[i] + " is no strided tensor: only those can be checked here");
      }
      for (int64_t dim = 0; dim < input.dim(); ++dim) {
        if (input.stride(dim) <= 0 && input.size(dim) > 1) {
          fail(function_.names[i] +
               " has a dimension with stride 0: its elements share memory, so "
               "one cannot be perturbed alone; call contiguous() on it");
        }
      }
      const auto dtype = input.scalar_type();
      if (dtype != at::kDouble && dtype != at::kComplexDouble) imprecise = function_.names[i];
    }
    if (!any) fail("no input requires grad: set requires_grad on at least one");
    if (!imprecise.empty()) {
      add("inputs", "passed",
          imprecise + " is not of double precision: finite differences are likely to be too rough");
    }
  }

  void check_outputs() const {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].layout() == at::kStrided) continue;
      fail(ordinal("output", i) +
           " is no strided tensor: make it dense with to_dense() to check it");
    }
  }

  void check_constant() {
    if (!outputs_.empty()) {
      return skip("no_differentiable_outputs", "there are outputs that require grad");
    }
    const auto jacobians = numerical_jacobians(call_, function_.inputs, all_outputs_, options_.eps);
    for (const auto& by_output : jacobians) {
      for (const auto& jacobian : by_output) {
        if (!jacobian.ne(0).any().item<bool>()) continue;
        fail(
            "no output requires grad, but the outputs change with the inputs: the operator has no "
            "autograd kernel, or works on detached data");
      }
    }
  }

  void check_backward() {
    if (!options_.check_backward_ad || outputs_.empty()) {
      const char* reason =
          options_.check_backward_ad ? "no output requires grad" : "check_backward_ad is off";
      for (const char* check : {"backward", "gradient_size", "gradient_dtype", "reentrant"})
        skip(check, reason);
      return;
    }
    BackwardFacts facts;
    bool is_complex = false;
    for (const auto& output : all_outputs_)
      is_complex = is_complex || output.is_complex();
    const auto part_of = [this](bool imaginary) {
      return [this, imaginary](const Tensors& inputs) {
        auto results = call_(inputs);
        for (auto& result : results) {
          if (result.is_complex()) result = imaginary ? at::imag(result) : at::real(result);
        }
        return results;
      };
    };
    if (is_complex) {
      compare_backward(part_of(true), "imaginary", facts);
      compare_backward(part_of(false), "real", facts);
    } else {
      compare_backward(call_, "", facts);
    }
    report_facts(facts);
  }

  struct BackwardFacts {
    bool computed = false, sizes_match = true, dtypes_match = true;
    double largest_difference = 0;
    std::string difference_at;
  };

  void compare_backward(const TensorFunction& function, const char* part, BackwardFacts& facts) {
    guarded("backward", [&] {
      const auto results = function(function_.inputs);
      const auto outputs = differentiable_outputs(results);
      if (options_.fast_mode) return compare_projections(function, results, outputs, part, facts);
      const auto numerical = numerical_jacobians(function, function_.inputs, results, options_.eps);
      size_t output = 0;
      for (size_t o = 0, differentiable = 0; o < results.size(); ++o) {
        if (!is_differentiable_type(results[o])) continue;
        const size_t column = differentiable++;
        if (!results[o].requires_grad()) continue;
        const auto backward =
            backward_jacobian(function_.inputs, outputs[output++].clone(), std::nullopt);
        note(backward, facts);
        for (size_t i = 0; i < backward.jacobians.size(); ++i) {
          compare("backward", part, i, o, backward.jacobians[i], numerical[i][column], function);
        }
      }
    });
  }

  void note(const BackwardJacobian& backward, BackwardFacts& facts) const {
    facts.computed = true;
    facts.sizes_match = facts.sizes_match && backward.sizes_match;
    facts.dtypes_match = facts.dtypes_match && backward.dtypes_match;
    if (backward.largest_difference > facts.largest_difference) {
      facts.largest_difference = backward.largest_difference;
      const auto input = static_cast<size_t>(backward.difference_at[0]);
      facts.difference_at = function_.names[differentiable_inputs(function_.inputs)[input]];
    }
  }

  void report_facts(const BackwardFacts& facts) {
    if (!facts.computed) {
      for (const char* check : {"gradient_size", "gradient_dtype", "reentrant"})
        add(check, "not reached", "the gradients could not be computed");
      return;
    }
    guarded("gradient_size", [&] {
      if (!facts.sizes_match) fail("a gradient has another shape than its input");
    });
    // PyTorch's gradcheck fails for a wrong dtype whether check_grad_dtypes asks for it or not.
    guarded("gradient_dtype", [&] {
      if (!facts.dtypes_match) fail("a gradient has another dtype than its input");
    });
    guarded("reentrant", [&] {
      if (facts.largest_difference <= options_.nondet_tol) return;
      std::ostringstream text;
      text << "backward gave two different gradients of " << facts.difference_at
           << " for the same input and grad_output: they differ by " << facts.largest_difference
           << ", nondet_tol is " << options_.nondet_tol;
      fail(text.str());
    });
  }

  // In fast mode: v^T J u, from both sides.
  void compare_projections(const TensorFunction& function, const Tensors& results,
                           const Tensors& outputs, const char* part, BackwardFacts& facts) {
    const auto directions = make_directions(function_.inputs, &outputs);
    const auto numerical =
        directional_derivatives(function, function_.inputs, directions.inputs, options_.eps);
    size_t output = 0;
    for (size_t o = 0, differentiable = 0; o < results.size(); ++o) {
      if (!is_differentiable_type(results[o])) continue;
      const size_t column = differentiable++;
      if (!results[o].requires_grad()) continue;
      const auto& v = directions.outputs[output];
      const auto backward = backward_jacobian(function_.inputs, outputs[output].clone(), v);
      ++output;
      note(backward, facts);
      for (size_t i = 0; i < backward.jacobians.size(); ++i) {
        const auto& u = directions.inputs[i];
        const auto& vj = backward.jacobians[i].select(1, 0);
        auto analytical = vj.is_complex()
                              ? at::complex(at::real(vj).dot(u.real), at::imag(vj).dot(u.imaginary))
                              : vj.dot(u.real);
        const auto derivative = (v * numerical[i][column]).sum();
        const double atol = projected_atol(options_.atol, u, &v);
        const auto slow = [&, i, o, column] {
          const auto all = numerical_jacobians(function, function_.inputs, results, options_.eps);
          const auto rows = backward_jacobian(function_.inputs, results[o].clone(), std::nullopt);
          return std::pair(rows.jacobians[i], all[i][column]);
        };
        compare_projection("backward", part, i, o, analytical, derivative, atol, function, slow);
      }
    }
  }

  // A fast mismatch is looked at in slow mode, which can say where it is. `slow` gives the
  // analytical and the numerical Jacobian.
  void compare_projection(const char* check, const char* part, size_t input, size_t output,
                          const at::Tensor& analytical, const at::Tensor& numerical, double atol,
                          const TensorFunction& function,
                          const std::function<std::pair<at::Tensor, at::Tensor>()>& slow) {
    auto comparison = compare_jacobians(analytical.reshape({1, -1}), numerical.reshape({1, -1}), {},
                                        {analytical.numel()}, options_.rtol, atol);
    if (comparison.matches) {
      auto& finding = add(check, "passed", "fast mode");
      place(finding, part, input, output);
      comparison.worst.reset();  // of a projection: it belongs to no element
      finding.comparison = std::move(comparison);
      return;
    }
    const auto [whole, whole_numerical] = slow();
    compare(check, part, input, output, whole, whole_numerical, function);
    auto& finding = report_.findings.back();
    if (finding.status == "failed") return;
    finding.status = "failed";
    finding.reason = "fast mode found a difference, slow mode finds none: run with fast_mode off";
  }

  void place(GradcheckFinding& finding, const char* part, size_t input, size_t output) const {
    finding.part = part;
    finding.input = static_cast<int64_t>(differentiable_inputs(function_.inputs)[input]);
    finding.output = static_cast<int64_t>(output);
  }

  void compare(const char* check, const char* part, size_t input, size_t output,
               const at::Tensor& analytical, const at::Tensor& numerical,
               const TensorFunction& function) {
    const auto& tensor = function_.inputs[differentiable_inputs(function_.inputs)[input]];
    const auto input_shape = tensor.sizes().vec();
    const auto output_shape = all_outputs_[output].sizes().vec();
    const auto comparison = compare_jacobians(analytical, numerical, input_shape, output_shape,
                                              options_.rtol, options_.atol);
    auto& finding = add(check, comparison.matches ? "passed" : "failed");
    place(finding, part, input, output);
    finding.comparison = comparison;
    if (!comparison.matches) {
      finding.reason = std::to_string(comparison.mismatched) + " of " +
                       std::to_string(comparison.total) +
                       " elements of the Jacobian differ from the numerical one";
      finding.cause = cause_at_point(function, tensor, output, comparison);
      if (finding.cause.empty()) {
        finding.cause = likely_cause(analytical, numerical, input_shape, output_shape,
                                     options_.rtol, options_.atol);
      }
    }
    if (keep_jacobians_) {
      finding.analytical = store_tensor(analytical.contiguous());
      finding.numerical = store_tensor(numerical);
      finding.error = store_tensor((analytical - numerical).abs());
    }
  }

  // Rounding and kinks show at the point itself, whatever the formula.
  std::string cause_at_point(const TensorFunction& function, const at::Tensor& input, size_t output,
                             const JacobianComparison& comparison) const {
    if (!comparison.worst || input.is_complex()) return "";
    const PointProbe probe{function,    function_.inputs,     input,
                           output,      comparison.worst_row, comparison.worst_column,
                           options_.eps};
    return cause_near_point(probe, comparison);
  }

  void check_forward() {
    if (!options_.check_forward_ad) {
      skip("forward", "check_forward_ad is off");
      skip("undefined_tangent", "check_forward_ad is off");
      return;
    }
    bool is_complex = false;
    for (const auto& input : function_.inputs)
      is_complex = is_complex || input.is_complex();
    if (!is_complex) return compare_forward(call_, function_.inputs, "");
    for (const bool imaginary : {true, false}) {
      Tensors parts;
      for (const auto& input : function_.inputs) {
        parts.push_back(!input.is_complex() ? input
                        : imaginary         ? at::imag(input)
                                            : at::real(input));
      }
      const auto originals = function_.inputs;
      const auto function = [this, originals, imaginary](const Tensors& given) {
        auto inputs = given;
        const at::Scalar i(c10::complex<double>(0, 1));
        for (size_t k = 0; k < inputs.size(); ++k) {
          if (!originals[k].is_complex()) continue;
          inputs[k] = imaginary ? at::real(originals[k]) + given[k] * i
                                : given[k] + at::imag(originals[k]) * i;
        }
        return call_(inputs);
      };
      compare_forward(function, parts, imaginary ? "imaginary" : "real");
    }
  }

  void compare_forward(const TensorFunction& function, const Tensors& inputs, const char* part) {
    guarded("forward", [&] {
      const auto results = function(inputs);
      if (differentiable_outputs(results).empty()) {
        return skip("forward", "no output requires grad");
      }
      std::optional<Directions> directions;
      if (options_.fast_mode) directions = make_directions(inputs, nullptr);
      const auto numerical =
          directions ? directional_derivatives(function, inputs, directions->inputs, options_.eps)
                     : numerical_jacobians(function, inputs, results, options_.eps);
      const auto forward =
          forward_jacobians(function, inputs, results, directions ? &directions->inputs : nullptr);
      if (options_.check_grad_dtypes && !forward.dtypes_match) {
        fail("a tangent is complex where its output is real, or the reverse");
      }
      for (size_t o = 0, column = 0; o < results.size(); ++o) {
        if (!is_differentiable_type(results[o])) continue;
        const size_t at = column++;
        if (!results[o].requires_grad()) continue;
        for (size_t i = 0; i < forward.jacobians.size(); ++i) {
          if (!directions) {
            compare("forward", part, i, o, forward.jacobians[i][at], numerical[i][at], function);
            continue;
          }
          const auto slow = [&, i, at] {
            return std::pair(forward_jacobians(function, inputs, results, nullptr).jacobians[i][at],
                             numerical_jacobians(function, inputs, results, options_.eps)[i][at]);
          };
          compare_projection("forward", part, i, o, forward.jacobians[i][at], numerical[i][at],
                             projected_atol(options_.atol, directions->inputs[i], nullptr),
                             function, slow);
        }
      }
    });
    if (!options_.check_undefined_grad) {
      return skip("undefined_tangent", "check_undefined_grad is off");
    }
    guarded("undefined_tangent", [&] { check_undefined_tangents(function, inputs); });
  }

  void check_batched() {
    if (!options_.check_batched_forward_grad) {
      skip("batched_forward_grad", "check_batched_forward_grad is off");
    } else {
      guarded("batched_forward_grad",
              [&] { check_batched_forward_gradients(call_, function_.inputs); });
    }
    if (!options_.check_backward_ad) return skip("batched_grad", "check_backward_ad is off");
    if (!options_.check_batched_grad) return skip("batched_grad", "check_batched_grad is off");
    if (outputs_.empty()) return skip("batched_grad", "no output requires grad");
    guarded("batched_grad", [&] {
      for (size_t o = 0; o < outputs_.size(); ++o)
        check_batched_gradients(function_.inputs, outputs_[o], o);
    });
  }

  void check_gradients_of_zero() {
    const char* off = !options_.check_backward_ad ? "check_backward_ad is off"
                      : outputs_.empty()          ? "no output requires grad"
                                                  : nullptr;
    if (off != nullptr) {
      skip("zero_grad_output", off);
    } else {
      guarded("zero_grad_output",
              [&] { check_zero_gradients(function_.inputs, function_.names, outputs_); });
    }
    if (off != nullptr || !options_.check_undefined_grad) {
      return skip("undefined_grad", off != nullptr ? off : "check_undefined_grad is off");
    }
    guarded("undefined_grad",
            [&] { check_undefined_gradients(call_, function_.inputs, function_.names); });
  }

  Differentiable function_;
  TensorFunction call_;
  GradcheckOptions options_;
  bool keep_jacobians_;
  GradcheckReport& report_;
  Tensors all_outputs_, outputs_;
};

bool is_differentiable_type(const std::string& name) {
  const auto dtype = dtype_from_name(name);
  return dtype && (at::isFloatingType(*dtype) || at::isComplexType(*dtype));
}

ProjectInputs make_inputs(const GradcheckRequest& request) {
  ProjectInputs project;
  const auto used = names_in(request.args);
  for (auto spec : request.inputs) {
    project.names.push_back(spec.name);
    if (used.count(spec.name) == 0) continue;
    if (request.dtype && is_differentiable_type(spec.dtype)) spec.dtype = *request.dtype;
    project.tensors.emplace(spec.name, make_input(spec));
  }
  return project;
}

}  // namespace

GradcheckReport run_gradcheck(const GradcheckRequest& request) {
  enter_stage("operator.unknown");
  const auto callable = find_callable(request.op, request.program);
  const auto project = make_inputs(request);
  auto function =
      differentiable_call(callable, make_arguments(callable.schema, request.args, &project));
  GradcheckReport report;
  report.op = callable.name;
  auto options = request.options;
  const auto start = std::chrono::steady_clock::now();
  const at::AutoGradMode recording(true);
  bool can_run = true;
  if (request.second_order) {
    options.check_forward_ad = options.check_fwd_over_rev;
    options.check_backward_ad = options.check_rev_over_rev;
    // Without gradients of the first order there are none of the second: a finding, not an error.
    try {
      function = gradients_of(function, /*seed=*/0, options.gen_non_contig_grad_outputs);
    } catch (...) {
      auto& finding = report.findings.emplace_back();
      finding.check = "outputs";
      finding.status = "failed";
      finding.reason = first_line(describe_current_exception().message);
      can_run = false;
    }
  }
  if (can_run) Gradcheck(std::move(function), options, request.keep_jacobians, report).run();
  report.ok = true;
  for (const auto& finding : report.findings)
    report.ok = report.ok && (finding.status == "passed" || finding.status == "skipped");
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace opsmith
