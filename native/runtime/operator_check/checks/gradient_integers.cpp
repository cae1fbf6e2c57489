#include <ATen/core/jit_type.h>

#include <algorithm>

#include "runtime/operator_check/compare.h"
#include "runtime/operator_check/gradient_case.h"

namespace opsmith {
namespace {

using Finding = std::optional<OperatorCheckFinding>;

struct Choice {
  size_t place;
  c10::IValue value;
  std::string words;  // "with dim = -1: "
  // What must give the same outputs: a dimension counted from the other end.
  std::optional<c10::IValue> same = std::nullopt;
};

bool names_dimension(const std::string& name) {
  return name.find("dim") != std::string::npos || name.find("axis") != std::string::npos ||
         name.find("axes") != std::string::npos;
}

// Flags that say of an input what it must be, which no drawn one is.
bool promises(const std::string& name) {
  for (const char* word :
       {"hermitian", "symmetric", "definite", "sorted", "normalized", "sparse"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

// Whether forward gives the same whatever the flag says: then the flag is about gradients, and what
// it asks for is not their true value.
bool is_about_gradients(const OperatorCall& call, const OperatorCall& changed) {
  Tensors before, after;
  if (!call.try_run(call.fresh(), before).empty()) return true;
  if (!changed.try_run(changed.fresh(), after).empty()) return true;
  return !difference(after, before, "");
}

// Dimensions in their range, and flags both ways; of other integers only their author knows which
// are valid.
std::vector<Choice> choices_of(const OperatorCall& call) {
  std::vector<Choice> choices;
  const auto& arguments = call.arguments();
  const auto& schema = call.callable().schema.arguments();
  int64_t rank = 0;
  for (const auto& tensor : call.values())
    rank = std::max(rank, tensor.dim());
  for (size_t i = 0; i < arguments.size() && i < schema.size(); ++i) {
    const auto& name = schema[i].name();
    if (arguments[i].isBool() && !promises(name)) {
      const bool other = !arguments[i].toBool();
      choices.push_back({i, other, "with " + name + " = " + (other ? "True" : "False") + ": "});
    }
    const bool is_list = arguments[i].isIntList();
    if (!names_dimension(name) || !(arguments[i].isInt() || is_list)) continue;
    const auto value = [is_list](int64_t dim) {
      return is_list ? c10::IValue(std::vector<int64_t>{dim}) : c10::IValue(dim);
    };
    for (int64_t dim = 0; dim < rank; ++dim) {
      for (const int64_t counted : {dim, dim - rank}) {
        const auto number = std::to_string(counted);
        choices.push_back({i, value(counted),
                           "with " + name + " = " + (is_list ? "[" + number + "]" : number) + ": ",
                           counted < 0 ? std::optional(value(dim)) : std::nullopt});
      }
    }
  }
  return choices;
}

Finding choice_fault(const OperatorCall& call, const Choice& choice) {
  return look_in_copy(choice.words, [&](const std::function<void()>& accept) -> Finding {
    const auto changed = call.with_argument(choice.place, choice.value);
    const auto given = gradient_case(changed, accept);
    if (!given.skip.empty()) return std::nullopt;
    if (choice.value.isBool() && is_about_gradients(call, changed)) return std::nullopt;
    if (choice.same) {
      const auto other = call.with_argument(choice.place, *choice.same);
      Tensors actual, expected;
      if (!changed.try_run(changed.fresh(), actual).empty()) return std::nullopt;
      if (!other.try_run(other.fresh(), expected).empty()) return std::nullopt;
      // What forward makes of it is for the checks of forward.
      if (difference(actual, expected, "")) return std::nullopt;
    }
    if (!given.fault.empty()) {
      return failed(choice.words + "forward runs, but backward throws: " + given.fault,
                    "Handle in backward what forward accepts, or refuse it in forward.");
    }
    const auto mismatch = gradient_mismatch(given, given.inputs);
    if (!mismatch) return std::nullopt;
    return mismatch_finding(given, *mismatch, choice.words);
  });
}

OperatorCheckFinding check_gradient_integers(const OperatorCall& call) {
  if (!all_on_cpu(call)) return skipped(not_on_cpu);
  const auto given = gradient_case(call);
  if (!given.skip.empty()) return skipped(given.skip);
  const auto choices = choices_of(call);
  if (choices.empty()) return skipped("no argument is a dimension or a flag");
  for (const auto& choice : choices) {
    if (auto fault = choice_fault(call, choice)) return *fault;
  }
  return passed("right for every dimension, positive and negative, and for both values of flags");
}

const RegisteredCheck gradient_integers_check({
    .name = "gradient_integers",
    .title = "gradient integers",
    .meaning = "Gradients for each dimension from -rank to rank - 1, and for both values of flags",
    .order = 55,
    .run = check_gradient_integers,
    .compares_calls = true,
    .after = "gradients",
});

}  // namespace
}  // namespace opsmith
