#include <string>

#include "runtime/operator_check/checks.h"

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

OperatorCheckFinding check_aliasing(const OperatorCall& call) {
  const auto inputs = call.fresh();
  const auto outputs = call.run(inputs);
  const auto& schema = call.callable().schema;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto sets = declared_sets(schema, o, outputs.size());
    const auto at_output = [&](OperatorCheckFinding finding) {
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto& input = call.tensors()[i];
      if (!have_one_storage(outputs[o], inputs[i]) || intersect(sets, input.alias)) continue;
      auto finding = at_output(failed(
          "output " + std::to_string(o) + " shares the memory of " + input.name +
              ", and the schema does not say so",
          "Return a copy (clone()), or declare both as Tensor(a). Autograd and the compiler go "
          "wrong on aliases that they do not know of."));
      finding.input = input.name;
      return finding;
    }
    for (size_t other = 0; other < o; ++other) {
      const auto others = declared_sets(schema, other, outputs.size());
      if (!have_one_storage(outputs[o], outputs[other]) || intersect(sets, others)) continue;
      return at_output(failed("outputs " + std::to_string(other) + " and " + std::to_string(o) +
                                  " share memory, and the schema does not say so",
                              "Return a copy (clone()) of one of them."));
    }
  }
  return passed("outputs share memory with nothing that the schema does not declare");
}

const RegisteredCheck aliasing_check({
    .name = "aliasing",
    .title = "aliasing",
    .meaning = "Outputs share no memory that the schema does not declare",
    .order = 20,
    .run = check_aliasing,
    .other_shapes = true,
});

}  // namespace
}  // namespace opsmith
