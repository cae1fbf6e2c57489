#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/dtypes.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/other_calls.h"

namespace opsmith {
namespace {

bool have_one_storage(const at::Tensor& left, const at::Tensor& right) {
  return left.has_storage() && right.has_storage() && left.storage().nbytes() > 0 &&
         left.storage().data() == right.storage().data();
}

// Which alias sets the schema gives an output; "" for none. A list of tensors is one return.
std::string declared_sets(const c10::FunctionSchema& schema, size_t output, size_t outputs) {
  const auto& returns = schema.returns();
  if (returns.empty()) return "";
  const auto& value = returns.size() == outputs ? returns[output] : returns[0];
  std::string sets;
  const auto* alias = value.alias_info();
  if (alias == nullptr) return "";
  for (const auto& set : alias->beforeSets())
    sets += set.toUnqualString();
  for (const auto& element : alias->containedTypes()) {
    for (const auto& set : element.beforeSets())
      sets += set.toUnqualString();
  }
  return sets;
}

bool intersect(const std::string& left, const std::string& right) {
  return left.find_first_of(right) != std::string::npos;
}

bool is_written_return(const c10::FunctionSchema& schema, size_t output, size_t outputs) {
  const auto& returns = schema.returns();
  if (returns.size() != outputs) return false;
  return is_written(returns[output].alias_info());
}

// What outputs of a call with `inputs` share; `when` begins the sentence. Throws what the operator
// throws.
std::optional<OperatorCheckFinding> alias_fault(const OperatorCall& call, const Tensors& inputs,
                                                const std::string& when) {
  const auto outputs = call.run(inputs);
  const auto& schema = call.callable().schema;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto sets = declared_sets(schema, o, outputs.size());
    const auto name = "output " + std::to_string(o);
    const auto at_output = [&](OperatorCheckFinding finding) {
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    bool shares_declared = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto& input = call.tensors()[i];
      if (!have_one_storage(outputs[o], inputs[i])) continue;
      shares_declared = shares_declared || intersect(sets, input.alias);
      if (intersect(sets, input.alias)) continue;
      auto finding = at_output(
          failed(when + name + " shares the memory of " + input.name +
                     ", but the schema does not declare the alias",
                 "Return a copy (clone()), or declare the input and the output as Tensor(a) in the "
                 "schema. Autograd and the compiler give wrong results for undeclared aliases."));
      finding.input = input.name;
      return finding;
    }
    if (outputs[o].numel() > 0 && is_written_return(schema, o, outputs.size()) &&
        !shares_declared) {
      return at_output(failed(
          when + name +
              " is a new tensor, but the schema declares that the operator returns the input that "
              "it writes",
          "Return the input itself, or remove (" + sets + "!) from the return in the schema."));
    }
    for (size_t other = 0; other < o; ++other) {
      const auto others = declared_sets(schema, other, outputs.size());
      if (!have_one_storage(outputs[o], outputs[other]) || intersect(sets, others)) continue;
      return at_output(failed(when + "outputs " + std::to_string(other) + " and " +
                                  std::to_string(o) +
                                  " share memory, but the schema does not declare the alias",
                              "Return a copy (clone()) for one of the outputs."));
    }
  }
  return std::nullopt;
}

// Copies are left out where a tensor happens to lie, or to be, as they would make it: contiguous,
// of one element, of one dtype.
std::optional<OperatorCheckFinding> alias_elsewhere(const OperatorCall& call) {
  if (!all_on_cpu(call)) return std::nullopt;
  const at::NoGradGuard unrecorded;
  std::vector<Look> looks;
  const auto add = [&](Tensors given, std::string when) {
    looks.emplace_back([&call, given = std::move(given), when = std::move(when)] {
      return alias_fault(call, given, when);
    });
  };
  for (auto& [tensors, when] : in_other_layouts(call))
    add(std::move(tensors), std::move(when));
  add(with_small_sizes(call, 1), "with one element, ");
  const auto& tensors = call.tensors();
  const bool any_floating = std::any_of(tensors.begin(), tensors.end(), [](const auto& argument) {
    return argument.tensor.is_floating_point();
  });
  for (const auto dtype : {at::kFloat, at::kDouble}) {
    if (!any_floating) break;
    const auto given = call.map([&](const at::Tensor& tensor) {
      const auto wanted = tensor.is_floating_point() ? dtype : tensor.scalar_type();
      return tensor.detach().to(wanted, /*non_blocking=*/false, /*copy=*/true);
    });
    add(given, std::string("in ") + dtype_name(dtype) + ", ");
  }
  return first_found_in_copy(looks);
}

OperatorCheckFinding check_aliasing(const OperatorCall& call) {
  if (auto fault = alias_fault(call, call.fresh(), "")) return *fault;
  // Other layouts are tried only there.
  if (!all_on_cpu(call)) return passed("outputs share only the memory that the schema declares");
  return passed("outputs share only the memory that the schema declares, in each layout");
}

const RegisteredCheck aliasing_check({
    .name = "aliasing",
    .title = "aliasing",
    .meaning = "Outputs share only the memory that the schema declares",
    .order = 20,
    .run = check_aliasing,
    .run_elsewhere = alias_elsewhere,
    .other_shapes = true,
});

}  // namespace
}  // namespace opsmith
