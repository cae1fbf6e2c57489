#include "runtime/operator_check/gradient_case.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>

#include "runtime/failure.h"
#include "runtime/gradcheck/jacobian.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/finding_text.h"
#include "runtime/process/shared_value.h"
#include "runtime/registry.h"

namespace opsmith {
namespace {

bool has_autograd_kernel(const Callable& callable) {
  if (callable.function != nullptr) return false;
  const auto op = find_operator(callable.name);
  return op.hasKernelForDispatchKey(c10::DispatchKey::Autograd) ||
         op.hasKernelForDispatchKey(c10::DispatchKey::AutogradCPU);
}

std::vector<size_t> candidates_of(const OperatorCall& call) {
  std::vector<size_t> all, declared;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& [name, argument, tensor, may_be_written, alias] = call.tensors()[i];
    if (!is_differentiable_type(tensor) || may_be_written) continue;
    all.push_back(i);
    if (tensor.requires_grad()) declared.push_back(i);
  }
  if (!declared.empty()) return declared;
  return has_autograd_kernel(call.callable()) ? all : declared;
}

std::string without_candidates(const Callable& callable) {
  if (has_autograd_kernel(callable)) return "no input can require grad";
  if (callable.function != nullptr) return "no input requires grad";
  return "the operator has no autograd kernel, and no input requires grad";
}

TensorFunction function_of(const OperatorCall& call) {
  return [&call](const Tensors& inputs) {
    auto given = inputs;
    for (size_t i = 0; i < given.size(); ++i) {
      if (call.tensors()[i].may_be_written) given[i] = given[i].detach().clone();
    }
    at::manual_seed(0);
    return call.run(given);
  };
}

Tensors in_double(const OperatorCall& call) {
  return call.map([](const at::Tensor& tensor) {
    const auto copy = tensor.detach().clone();
    if (copy.is_complex()) return copy.to(at::kComplexDouble);
    return copy.is_floating_point() ? copy.to(at::kDouble) : copy;
  });
}

bool computes_in_double(const Tensors& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const at::Tensor& output) {
    if (output.is_complex()) return output.scalar_type() == at::kComplexDouble;
    return output.scalar_type() == at::kDouble && computed_precision(output) != at::kFloat;
  });
}

// Of an input that nobody said requires grad, the operator may refuse to give a gradient.
std::vector<size_t> accepted_alone(const TensorFunction& function, const Tensors& inputs,
                                   const std::vector<size_t>& wanted) {
  std::vector<size_t> accepted;
  for (const size_t place : wanted) {
    const CallWithGraph alone(function, leaves_of(inputs, {place}));
    if (alone.error().empty() && !alone.outputs().empty()) accepted.push_back(place);
  }
  return accepted;
}

// Whether the outputs change in steps only: at no small change of the inputs, but at large ones.
// The gradient of such a function is an estimate that somebody chose.
bool changes_in_steps(const GradientCase& made, const CallWithGraph& recorded) {
  const at::NoGradGuard unrecorded;
  const auto changes = [&](double part) {
    auto moved = made.inputs;
    for (const size_t place : made.wanted) {
      const auto input = moved[place].detach();
      moved[place] = input + part * (input.abs() + 0.1);
    }
    const auto outputs = made.function(moved);
    for (size_t o = 0; o < recorded.places().size(); ++o) {
      if (!same_bits(outputs.at(recorded.places()[o]), recorded.outputs()[o])) return true;
    }
    return false;
  };
  // Where it throws, that is for others to say.
  try {
    return !changes(4 * made.fineness.step) && !changes(-4 * made.fineness.step) && changes(4);
  } catch (...) {
    return false;
  }
}

bool any_nonzero(const Tensors& gradients) {
  return std::any_of(gradients.begin(), gradients.end(), [](const at::Tensor& gradient) {
    return gradient.defined() && gradient.ne(0).any().item<bool>();
  });
}

}  // namespace

Tensors leaves_of(const Tensors& tensors, const std::vector<size_t>& wanted) {
  Tensors leaves;
  for (const auto& tensor : tensors)
    leaves.push_back(tensor.detach().clone());
  for (const size_t place : wanted)
    leaves[place].requires_grad_();
  return leaves;
}

Tensors defined_gradients(const Tensors& gradients, const Tensors& inputs,
                          const std::vector<size_t>& wanted) {
  Tensors defined;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto& gradient = gradients[i];
    if (!gradient.defined()) {
      defined.push_back(at::zeros_like(inputs[wanted[i]].detach(), at::MemoryFormat::Contiguous));
      continue;
    }
    const auto dense = gradient.layout() == at::kStrided ? gradient : gradient.to_dense();
    defined.push_back(dense.detach().resolve_conj().resolve_neg());
  }
  return defined;
}

GradientCase gradient_case(const OperatorCall& call, const std::function<void()>& accept) {
  GradientCase made;
  made.names = call.names();
  const auto skipped_for = [&](std::string reason) {
    made.skip = std::move(reason);
    return made;
  };
  if (draws_random_numbers(call)) return skipped_for("the operator draws random numbers");
  auto wanted = candidates_of(call);
  if (wanted.empty()) return skipped_for(without_candidates(call.callable()));
  const bool is_declared = call.tensors()[wanted[0]].tensor.requires_grad();
  made.function = function_of(call);
  const auto own = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
  std::optional<CallWithGraph> recorded;
  std::string refusal;
  for (const bool as_double : {true, false}) {
    made.inputs = as_double ? in_double(call) : own;
    auto accepted = wanted;
    recorded.emplace(made.function, leaves_of(made.inputs, accepted));
    if (!recorded->error().empty() && !is_declared) {
      accepted = accepted_alone(made.function, made.inputs, wanted);
      if (!accepted.empty()) recorded.emplace(made.function, leaves_of(made.inputs, accepted));
    }
    refusal = recorded->error();
    made.wanted = std::move(accepted);
    if (!refusal.empty()) continue;
    if (as_double && computes_in_double(recorded->outputs())) break;
    if (as_double) continue;
    made.fineness = float_fineness;
  }
  if (!refusal.empty()) return skipped_for("the operator throws: " + refusal);
  if (recorded->outputs().empty()) return skipped_for("no output requires grad");
  for (const auto& input : recorded->inputs()) {
    const bool is_coarse = input.requires_grad() && input.element_size() < 4;
    if (is_coarse) return skipped_for("the operator accepts neither float32 nor float64");
  }
  const auto again = CallWithGraph(made.function, leaves_of(made.inputs, made.wanted));
  for (size_t o = 0; o < again.outputs().size(); ++o) {
    if (o >= recorded->outputs().size() || !same_bits(again.outputs()[o], recorded->outputs()[o])) {
      return skipped_for("two calls on the same input give different outputs");
    }
  }
  if (accept) accept();
  const auto gradients = recorded->backward(recorded->grad_outputs(), &made.fault);
  if (!gradients) return made;
  if (any_nonzero(*gradients) && changes_in_steps(made, *recorded))
    return skipped_for(
        "the outputs are piecewise constant, so finite differences cannot test the gradient");
  // Nobody said that an input without a gradient has one.
  if (!is_declared) {
    std::vector<size_t> given;
    for (size_t i = 0; i < made.wanted.size(); ++i) {
      if ((*gradients)[i].defined()) given.push_back(made.wanted[i]);
    }
    made.wanted = std::move(given);
    if (made.wanted.empty()) return skipped_for("backward returns no gradient for any input");
  }
  made.inputs = leaves_of(made.inputs, made.wanted);
  return made;
}

std::optional<OperatorCheckFinding> look_in_copy(
    const std::string& where,
    const std::function<std::optional<OperatorCheckFinding>(const std::function<void()>& accept)>&
        look) {
  const SharedValue<bool> accepted(false);
  const auto outcome = run_forked(
      [&]() -> std::string {
        // What refuses such inputs shows nothing.
        try {
          const auto found = look([&] { *accepted = true; });
          return found ? packed(*found) : "";
        } catch (...) {
          return "";
        }
      },
      patience);
  if (outcome.end == ForkedOutcome::End::answered) {
    if (outcome.answer.empty()) return std::nullopt;
    return unpacked(outcome.answer);
  }
  if (!outcome.ended() || !*accepted) return std::nullopt;
  return ended(outcome, where + "backward ends in " + outcome.describe(),
               "Also check sizes, dtypes and indices in backward, with TORCH_CHECK.");
}

std::optional<GradientMismatch> gradient_difference(const Tensors& actual, const Tensors& expected,
                                                    const std::vector<size_t>& wanted,
                                                    double tolerance) {
  // Below this part of the largest gradient of all, and of 1, there is rounding only.
  double largest = 1;
  for (const auto& gradient : expected) {
    if (gradient.numel() == 0 || !gradient.isfinite().all().item<bool>()) continue;
    largest = std::max(largest, gradient.abs().max().item<double>());
  }
  const double rounding = 0.01 * tolerance * largest;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (actual[i].numel() == 0 || actual[i].sizes() != expected[i].sizes()) continue;
    // Where a gradient overflows, which way it does is chance.
    if (!expected[i].isfinite().all().item<bool>()) continue;
    const auto dtype = expected[i].is_complex() ? at::kComplexDouble : at::kDouble;
    const auto left = actual[i].to(dtype), right = expected[i].to(dtype);
    const double atol = tolerance * right.abs().max().item<double>() + rounding;
    const auto wrong =
        at::isclose(left, right, tolerance, atol, /*equal_nan=*/true).logical_not().reshape(-1);
    if (!wrong.any().item<bool>()) continue;
    const auto flat = wrong.to(at::kByte).argmax().item<int64_t>();
    const auto number = [flat](const at::Tensor& tensor) {
      const auto element = tensor.reshape(-1)[flat];
      return (element.is_complex() ? at::real(element) : element).item<double>();
    };
    return GradientMismatch{wanted[i], index_of(actual[i], flat), number(left), number(right), ""};
  }
  return std::nullopt;
}

}  // namespace opsmith
