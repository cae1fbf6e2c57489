#include "runtime/gradcheck/jacobians.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <deque>
#include <sstream>

#include "runtime/gradcheck/batched_call.h"
#include "runtime/gradcheck/batched_jacobian.h"
#include "runtime/gradcheck/causes.h"
#include "runtime/gradcheck/gradients.h"
#include "runtime/gradcheck/kept_memory.h"
#include "runtime/virtual_device.h"

namespace opsmith {

// Pairs of input and output whose Jacobians are kept, three tensors each: the tensor store has room
// for others too.
constexpr int kept_limit = 40;

namespace {

bool all_match(const std::vector<JacobianComparison>& comparisons) {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [](const JacobianComparison& comparison) { return comparison.matches; });
}

// Of all threads, by input.
std::vector<JacobianComparison> merged(std::deque<std::vector<JacobianScan>>& scans) {
  std::vector<JacobianComparison> comparisons;
  for (size_t input = 0; input < scans.front().size(); ++input) {
    auto& whole = scans.front()[input];
    for (size_t thread = 1; thread < scans.size(); ++thread)
      whole.add(scans[thread][input]);
    comparisons.push_back(whole.result());
  }
  return comparisons;
}

Number item_of(const at::Tensor& scalar) {
  return scalar.item<Number>();
}

// For each input, the joint derivative minus the analytical ones of the other inputs.
std::vector<Number> left_by_others(const std::vector<Number>& analytical, Number joint) {
  for (const auto derivative : analytical)
    joint -= derivative;
  std::vector<Number> left;
  for (const auto derivative : analytical)
    left.push_back(joint + derivative);
  return left;
}

}  // namespace

void JacobianChecks::check_backward() {
  if (!options_.check_backward_ad || differentiable_outputs(outputs_).empty()) {
    const char* reason =
        options_.check_backward_ad ? "no output requires grad" : "check_backward_ad is off";
    for (const auto check : {GradcheckCheck::backward, GradcheckCheck::gradient_size,
                             GradcheckCheck::gradient_dtype, GradcheckCheck::reentrant})
      findings_.skip(check, reason);
    return;
  }
  BackwardFacts facts;
  bool is_complex = false;
  for (const auto& output : outputs_)
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
    compare_backward(part_of(true), ComplexPart::imaginary, facts);
    compare_backward(part_of(false), ComplexPart::real, facts);
  } else {
    compare_backward(call_, ComplexPart::whole, facts);
  }
  report_facts(facts);
}

void JacobianChecks::compare_backward(const TensorFunction& function, ComplexPart part,
                                      BackwardFacts& facts) {
  findings_.guarded(GradcheckCheck::backward, [&] {
    // Of the function itself there are outputs already.
    const auto results = part == ComplexPart::whole ? outputs_ : function(function_.inputs);
    const auto outputs = differentiable_outputs(results);
    if (options_.fast_mode) return compare_projections(function, results, outputs, part, facts);
    const SeenThroughByVmap see_through;
    const KeptMemory kept_memory;
    const auto inputs = perturbed_inputs();
    auto batched = batched_numerical_jacobians(function, inputs, results, options_.eps);
    const bool is_batched = batched.has_value();
    auto numerical = is_batched ? std::move(*batched)
                                : numerical_jacobians(function, inputs, results, options_.eps);
    size_t output = 0;
    for (size_t o = 0, differentiable = 0; o < results.size(); ++o) {
      if (!is_differentiable_type(results[o])) continue;
      const size_t column = differentiable++;
      if (!results[o].requires_grad()) continue;
      const auto slow = [&, output] {
        return backward_jacobian(function_.inputs, outputs[output].clone(), std::nullopt);
      };
      std::deque<std::vector<JacobianScan>> scans;  // by thread and input
      const auto visitor = [&](bool begins) -> ColumnsVisitor {
        if (begins) scans.clear();
        auto& own = scans.emplace_back(scans_of(function_.inputs, o));
        return [&own, &numerical, column](size_t input, int64_t first, const at::Tensor& rows) {
          own[input].add(rows.t(), numerical[input][column].narrow(1, first, rows.size(0)), first);
        };
      };
      auto fast = batched_backward_jacobian(function, function_.inputs, results, o, keep_jacobians_,
                                            visitor);
      auto backward = fast ? std::move(*fast) : slow();
      const auto pairs = [&] { return paired(backward.jacobians, numerical, column); };
      auto comparisons = fast ? merged(scans) : compared(pairs(), function_.inputs, o);
      // What a batch finds wrong is looked at again in the slow way, which is the one that counts.
      if ((is_batched || fast) &&
          (backward.largest_difference > options_.nondet_tol || !all_match(comparisons))) {
        if (is_batched) {
          numerical = numerical_jacobians(function, function_.inputs, results, options_.eps);
        }
        if (fast) backward = slow();
        comparisons = compared(pairs(), function_.inputs, o);
      }
      ++output;
      note(backward, facts);
      const auto kept = pairs();
      for (size_t i = 0; i < comparisons.size(); ++i) {
        report(GradcheckCheck::backward, part, i, o, i < kept.size() ? kept[i] : JacobianPair(),
               std::move(comparisons[i]), {function, function_.inputs});
      }
    }
  });
}

std::vector<JacobianChecks::JacobianPair> JacobianChecks::paired(const Tensors& analytical,
                                                                 const Jacobians& numerical,
                                                                 size_t column) {
  std::vector<JacobianPair> pairs;
  for (size_t i = 0; i < analytical.size(); ++i)
    pairs.emplace_back(analytical[i], numerical[i][column]);
  return pairs;
}

std::vector<JacobianScan> JacobianChecks::scans_of(const Tensors& inputs, size_t output) const {
  std::vector<JacobianScan> scans;
  for (const size_t index : differentiable_inputs(inputs)) {
    scans.emplace_back(inputs[index].sizes().vec(), outputs_[output].sizes().vec(), options_.rtol,
                       options_.atol);
  }
  return scans;
}

std::vector<JacobianComparison> JacobianChecks::compared(const std::vector<JacobianPair>& pairs,
                                                         const Tensors& inputs,
                                                         size_t output) const {
  auto scans = scans_of(inputs, output);
  std::vector<JacobianComparison> comparisons;
  for (size_t i = 0; i < pairs.size(); ++i) {
    scans[i].add(pairs[i].first, pairs[i].second, 0);
    comparisons.push_back(scans[i].result());
  }
  return comparisons;
}

void JacobianChecks::note(const BackwardJacobian& backward, BackwardFacts& facts) const {
  facts.computed = true;
  facts.sizes_match = facts.sizes_match && backward.sizes_match;
  facts.dtypes_match = facts.dtypes_match && backward.dtypes_match;
  if (backward.largest_difference > facts.largest_difference) {
    facts.largest_difference = backward.largest_difference;
    const auto input = static_cast<size_t>(backward.difference_at[0]);
    facts.difference_at = function_.names[differentiable_inputs(function_.inputs)[input]];
  }
}

void JacobianChecks::report_facts(const BackwardFacts& facts) {
  if (!facts.computed) {
    for (const auto check :
         {GradcheckCheck::gradient_size, GradcheckCheck::gradient_dtype, GradcheckCheck::reentrant})
      findings_.add(check, CheckStatus::not_reached, "the gradients could not be computed");
    return;
  }
  findings_.guarded(GradcheckCheck::gradient_size, [&] {
    if (!facts.sizes_match) fail_check("a gradient and its input have different shapes");
  });
  // PyTorch's gradcheck fails for a wrong dtype whether check_grad_dtypes asks for it or not.
  findings_.guarded(GradcheckCheck::gradient_dtype, [&] {
    if (!facts.dtypes_match) fail_check("a gradient and its input have different dtypes");
  });
  findings_.guarded(GradcheckCheck::reentrant, [&] {
    if (facts.largest_difference <= options_.nondet_tol) return;
    results_differ();
    std::ostringstream text;
    text << "backward is not deterministic: two gradients of " << facts.difference_at
         << " for the same input and grad_output differ by " << facts.largest_difference
         << ", but nondet_tol is " << options_.nondet_tol;
    fail_check(text.str());
  });
}

// Fast mode compares v^T J u, analytical and numerical. Two calls give the numerical sum over all
// inputs. Without the analytical ones of the other inputs it is that of one input. Where any of
// these differs, the numerical one of each input is computed by itself.
void JacobianChecks::compare_projections(const TensorFunction& function, const Tensors& results,
                                         const Tensors& outputs, ComplexPart part,
                                         BackwardFacts& facts) {
  const auto directions = make_directions(function_.inputs, &outputs);
  const auto inputs = perturbed_inputs();
  const auto joint = joint_derivatives(function, inputs, directions.inputs, options_.eps);
  Jacobians each;
  const auto numerical = [&](size_t input, size_t column) {
    if (each.empty())
      each = directional_derivatives(function, inputs, directions.inputs, options_.eps);
    return each[input][column];
  };
  size_t output = 0;
  for (size_t o = 0, differentiable = 0; o < results.size(); ++o) {
    if (!is_differentiable_type(results[o])) continue;
    const size_t column = differentiable++;
    if (!results[o].requires_grad()) continue;
    const auto& v = directions.outputs[output];
    const auto backward = backward_jacobian(function_.inputs, outputs[output].clone(), v);
    if (part == ComplexPart::whole) keep_gradients(output, outputs[output], v, backward);
    ++output;
    note(backward, facts);
    std::vector<Number> analytical;
    std::vector<double> atols;
    const double sum_of_v = at::real(v.sum()).item<double>();
    for (size_t i = 0; i < backward.jacobians.size(); ++i) {
      const auto& u = directions.inputs[i];
      const auto& vj = backward.jacobians[i].select(1, 0);
      analytical.push_back(vj.is_complex() ? Number(at::real(vj).dot(u.real).item<double>(),
                                                    at::imag(vj).dot(u.imaginary).item<double>())
                                           : item_of(vj.dot(u.real)));
      atols.push_back(projected_atol(options_.atol, u) * sum_of_v);
    }
    std::vector<Number> left;
    if (joint) left = left_by_others(analytical, item_of(v.dot(joint->at(column))));
    bool is_close = !left.empty();
    for (size_t i = 0; i < left.size(); ++i)
      is_close = is_close && projection_of(analytical[i], left[i], atols[i]).matches;
    for (size_t i = 0; i < analytical.size(); ++i) {
      const auto derivative = is_close ? left[i] : item_of((v * numerical(i, column)).sum());
      const auto slow = [&, i, o, column] {
        const auto all = numerical_jacobians(function, inputs, results, options_.eps);
        const auto rows = backward_jacobian(function_.inputs, results[o].clone(), std::nullopt);
        return JacobianPair(rows.jacobians[i], all[i][column]);
      };
      report_projection(GradcheckCheck::backward, part, i, o,
                        projection_of(analytical[i], derivative, atols[i]),
                        {function, function_.inputs}, slow);
    }
  }
}

void JacobianChecks::keep_gradients(size_t output, const at::Tensor& tensor, const at::Tensor& v,
                                    const BackwardJacobian& backward) {
  KnownGradients known{v.reshape(tensor.sizes()), {}};
  const auto differentiable = differentiable_inputs(function_.inputs);
  for (size_t i = 0; i < differentiable.size(); ++i) {
    const auto& input = function_.inputs[differentiable[i]];
    if (is_sparse(input)) return;
    known.gradients.push_back(backward.jacobians[i].reshape(input.sizes()));
  }
  known_.insert_or_assign(output, std::move(known));
}

std::optional<KnownGradients> JacobianChecks::known_gradients(size_t differentiable_output) const {
  const auto found = known_.find(differentiable_output);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

JacobianComparison JacobianChecks::projection_of(Number analytical, Number numerical,
                                                 double atol) const {
  return compare_elements(analytical, numerical, options_.rtol, atol);
}

// A fast mismatch is looked at in slow mode, which can say where it is. `slow` gives the
// analytical and the numerical Jacobian.
void JacobianChecks::report_projection(GradcheckCheck check, ComplexPart part, size_t input,
                                       size_t output, JacobianComparison comparison,
                                       const Evaluation& evaluation,
                                       const std::function<JacobianPair()>& slow) {
  if (comparison.matches) {
    auto& finding = findings_.add(check, CheckStatus::passed, "fast mode");
    finding.projected = true;
    place(finding, part, input, output);
    comparison.worst.reset();  // of a projection: it belongs to no element
    finding.comparison = std::move(comparison);
    return;
  }
  auto& finding = compare(check, part, input, output, slow(), evaluation);
  if (finding.status == CheckStatus::failed) return;
  finding.status = CheckStatus::failed;
  finding.reason =
      "fast mode found a difference, but slow mode found no difference: turn fast_mode off";
}

void JacobianChecks::place(GradcheckFinding& finding, ComplexPart part, size_t input,
                           size_t output) const {
  finding.part = part;
  finding.input = static_cast<int64_t>(differentiable_inputs(function_.inputs)[input]);
  finding.output = static_cast<int64_t>(output);
}

GradcheckFinding& JacobianChecks::compare(GradcheckCheck check, ComplexPart part, size_t input,
                                          size_t output, const JacobianPair& jacobians,
                                          const Evaluation& evaluation) {
  const auto& tensor = evaluation.inputs[differentiable_inputs(evaluation.inputs)[input]];
  return report(check, part, input, output, jacobians,
                compare_jacobians(jacobians.first, jacobians.second, tensor.sizes().vec(),
                                  outputs_[output].sizes().vec(), options_.rtol, options_.atol),
                evaluation);
}

GradcheckFinding& JacobianChecks::report(GradcheckCheck check, ComplexPart part, size_t input,
                                         size_t output, const JacobianPair& jacobians,
                                         JacobianComparison comparison,
                                         const Evaluation& evaluation) {
  const auto& [analytical, numerical] = jacobians;
  const auto& tensor = evaluation.inputs[differentiable_inputs(evaluation.inputs)[input]];
  auto& finding =
      findings_.add(check, comparison.matches ? CheckStatus::passed : CheckStatus::failed);
  place(finding, part, input, output);
  if (!comparison.matches) {
    finding.reason = std::to_string(comparison.mismatched) + " of " +
                     std::to_string(comparison.total) +
                     " elements of the analytical Jacobian differ from the numerical Jacobian";
    finding.counts_in_reason = true;
    if (is_sparse(tensor)) {
      finding.cause = masked_gradient(analytical, numerical, specified_places(tensor),
                                      options_.masked, options_.rtol, options_.atol);
    } else {
      finding.cause = cause_at_point(evaluation, tensor, output, comparison);
    }
    if (finding.cause.empty()) {
      finding.cause = likely_cause(analytical, numerical, tensor.sizes().vec(),
                                   outputs_[output].sizes().vec(), options_.rtol, options_.atol);
    }
    if (finding.cause.empty()) {
      finding.cause = cause_in_values(evaluation, jacobians, tensor, output);
    }
  }
  finding.comparison = std::move(comparison);
  if (keep_jacobians_ && kept_++ < kept_limit) {
    finding.analytical = store_tensor(analytical.contiguous());
    finding.numerical = store_tensor(numerical);
    finding.error = store_tensor((analytical - numerical).abs());
  }
  return finding;
}

// Rounding and kinks show at the point itself, whatever the formula.
std::string JacobianChecks::cause_at_point(const Evaluation& evaluation, const at::Tensor& input,
                                           size_t output,
                                           const JacobianComparison& comparison) const {
  if (!comparison.worst || input.is_complex()) return "";
  const PointProbe probe{evaluation.function,  evaluation.inputs,       input,       output,
                         comparison.worst_row, comparison.worst_column, options_.eps};
  return cause_near_point(probe, comparison);
}

// Where neither the point nor the pattern tells: a factor that depends on the values.
std::string JacobianChecks::cause_in_values(const Evaluation& evaluation,
                                            const JacobianPair& jacobians, const at::Tensor& input,
                                            size_t output) const {
  const auto results = evaluation.function(evaluation.inputs);
  std::vector<NamedValues> values;
  const auto add = [&](const std::string& name, const at::Tensor& tensor) {
    if (tensor.layout() == at::kStrided && tensor.is_floating_point()) {
      values.push_back({name, tensor});
    }
  };
  add(results.size() == 1 ? "output" : "output[" + std::to_string(output) + "]", results[output]);
  // The input itself before the others.
  for (const bool own : {true, false}) {
    for (size_t i = 0; i < evaluation.inputs.size(); ++i) {
      if (evaluation.inputs[i].is_same(input) == own) {
        add(function_.names[i], evaluation.inputs[i]);
      }
    }
  }
  return left_out_factor(jacobians.first, jacobians.second, values, options_.rtol, options_.atol);
}

void JacobianChecks::check_forward() {
  if (!options_.check_forward_ad) {
    findings_.skip(GradcheckCheck::forward, "check_forward_ad is off");
    findings_.skip(GradcheckCheck::undefined_tangent, "check_forward_ad is off");
    return;
  }
  bool is_complex = false;
  for (const auto& input : function_.inputs)
    is_complex = is_complex || input.is_complex();
  if (!is_complex) return compare_forward(call_, function_.inputs, ComplexPart::whole);
  for (const bool imaginary : {true, false}) {
    Tensors parts;
    for (const auto& input : function_.inputs) {
      parts.push_back(!input.is_complex() ? input : imaginary ? at::imag(input) : at::real(input));
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
    compare_forward(function, parts, imaginary ? ComplexPart::imaginary : ComplexPart::real);
  }
}

void JacobianChecks::compare_forward(const TensorFunction& function, const Tensors& inputs,
                                     ComplexPart part) {
  findings_.guarded(GradcheckCheck::forward, [&] {
    const auto results = function(inputs);
    if (differentiable_outputs(results).empty()) {
      return findings_.skip(GradcheckCheck::forward, "no output requires grad");
    }
    for (const size_t index : differentiable_inputs(inputs)) {
      if (!is_sparse(inputs[index])) continue;
      fail_check(function_.names[index] +
                 " is sparse: gradcheck has no forward mode for sparse inputs that require grad; "
                 "turn forward mode off");
    }
    if (options_.fast_mode) {
      project_forward(function, inputs, results, make_directions(inputs, nullptr), part);
    } else {
      compare_forward_jacobians(function, inputs, results, part);
    }
  });
  if (!options_.check_undefined_grad) {
    return findings_.skip(GradcheckCheck::undefined_tangent, "check_undefined_grad is off");
  }
  findings_.guarded(GradcheckCheck::undefined_tangent,
                    [&] { check_undefined_tangents(function, inputs, function_.names); });
}

void JacobianChecks::require_tangent_dtypes(const ForwardJacobians& forward) const {
  if (options_.check_grad_dtypes && !forward.dtypes_match) {
    fail_check("a tangent and its output differ: one of the two is complex, and the other is real");
  }
}

void JacobianChecks::compare_forward_jacobians(const TensorFunction& function,
                                               const Tensors& inputs, const Tensors& results,
                                               ComplexPart part) {
  const SeenThroughByVmap see_through;
  const KeptMemory kept_memory;
  auto batched = batched_numerical_jacobians(function, inputs, results, options_.eps);
  auto fast = batched_forward_jacobians(function, inputs, results);
  auto numerical =
      batched ? *batched : numerical_jacobians(function, inputs, results, options_.eps);
  auto forward = fast ? *fast : forward_jacobians(function, inputs, results, nullptr);
  require_tangent_dtypes(forward);
  for (size_t o = 0, column = 0; o < results.size(); ++o) {
    if (!is_differentiable_type(results[o])) continue;
    const size_t at = column++;
    if (!results[o].requires_grad()) continue;
    const auto pairs = [&] {
      Tensors analytical;
      for (const auto& by_output : forward.jacobians)
        analytical.push_back(by_output[at]);
      return paired(analytical, numerical, at);
    };
    auto comparisons = compared(pairs(), inputs, o);
    if ((batched || fast) && !all_match(comparisons)) {
      if (batched) numerical = numerical_jacobians(function, inputs, results, options_.eps);
      if (fast) forward = forward_jacobians(function, inputs, results, nullptr);
      batched.reset();
      fast.reset();
      comparisons = compared(pairs(), inputs, o);
    }
    for (size_t i = 0; i < comparisons.size(); ++i) {
      report(GradcheckCheck::forward, part, i, o, pairs()[i], std::move(comparisons[i]),
             {function, inputs});
    }
  }
}

// In fast mode: J^T u.
void JacobianChecks::project_forward(const TensorFunction& function, const Tensors& inputs,
                                     const Tensors& results, const Directions& directions,
                                     ComplexPart part) {
  const auto numerical = directional_derivatives(function, inputs, directions.inputs, options_.eps);
  const auto forward = forward_jacobians(function, inputs, results, &directions.inputs);
  require_tangent_dtypes(forward);
  for (size_t o = 0, column = 0; o < results.size(); ++o) {
    if (!is_differentiable_type(results[o])) continue;
    const size_t at = column++;
    if (!results[o].requires_grad()) continue;
    for (size_t i = 0; i < forward.jacobians.size(); ++i) {
      const auto slow = [&, i, at] {
        return JacobianPair(forward_jacobians(function, inputs, results, nullptr).jacobians[i][at],
                            numerical_jacobians(function, inputs, results, options_.eps)[i][at]);
      };
      const auto& tangent = forward.jacobians[i][at];
      report_projection(
          GradcheckCheck::forward, part, i, o,
          compare_jacobians(tangent.reshape({1, -1}), numerical[i][at].reshape({1, -1}), {},
                            {tangent.numel()}, options_.rtol,
                            projected_atol(options_.atol, directions.inputs[i])),
          {function, inputs}, slow);
    }
  }
}

}  // namespace opsmith
