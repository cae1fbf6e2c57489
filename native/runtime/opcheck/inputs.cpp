#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>

#include <limits>
#include <optional>

#include "runtime/dtypes.h"
#include "runtime/opcheck/checks.h"
#include "runtime/opcheck/compare.h"
#include "runtime/process/forked_call.h"

namespace opsmith {

OpcheckFinding check_determinism(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  at::manual_seed(0);
  const auto first = call.run(call.fresh());
  for (int again = 0; again < 3; ++again) {
    at::manual_seed(0);
    const auto outputs = call.run(call.fresh());
    for (size_t o = 0; o < first.size() && o < outputs.size(); ++o) {
      if (first[o].sizes() == outputs[o].sizes() && same_bits(first[o], outputs[o])) continue;
      auto finding =
          failed("two calls on the same input, after the same manual_seed, differ in output " +
                     std::to_string(o),
                 "Something is read that is no input: memory that nobody wrote, a static variable, "
                 "the order of threads, a random generator of its own.");
      finding.output = static_cast<int64_t>(o);
      if (const auto flat = first[o].sizes() == outputs[o].sizes()
                                ? first_difference(first[o], outputs[o])
                                : std::nullopt) {
        finding.index = index_of(first[o], *flat);
      }
      return finding;
    }
  }
  return passed(draws_random_numbers(call)
                    ? "the same after the same manual_seed; it draws random numbers"
                    : "four calls gave the same bits");
}

OpcheckFinding check_small_sizes(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  std::vector<std::string> ran, refused;
  for (const int64_t size : {0, 1}) {
    const std::string name = size == 0 ? "empty tensors" : "tensors of one element";
    const auto given = call.map([&](const at::Tensor& tensor) {
      auto small = tensor.detach();
      for (int64_t dim = 0; dim < small.dim(); ++dim)
        small = small.narrow(dim, 0, std::min(size, small.size(dim)));
      return small.clone(at::MemoryFormat::Contiguous);
    });
    const auto outcome = run_forked(
        [&] {
          Tensors outputs;
          return call.try_run(given, outputs).empty() ? std::string("ran") : std::string("refused");
        },
        patience);
    if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
    if (outcome.end != ForkedOutcome::End::answered) {
      return failed("on " + name + ": " + outcome.describe(),
                    "Handle numel() == 0 (and sizes of 1) before anything is read.");
    }
    (outcome.answer == "ran" ? ran : refused).push_back(name);
  }
  return passed(
      (ran.empty() ? "" : "runs on " + joined(ran)) +
      (refused.empty() ? "" : (ran.empty() ? "" : "; ") + ("refuses " + joined(refused))));
}

OpcheckFinding check_dtypes(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  std::optional<at::ScalarType> given_dtype;
  for (const auto& tensor : call.values()) {
    if (tensor.is_floating_point() && !given_dtype) given_dtype = tensor.scalar_type();
  }
  if (!given_dtype) return skipped("no input is of a floating dtype");
  const auto converted = [&](at::ScalarType dtype) {
    return call.map([&](const at::Tensor& tensor) {
      // Rounded to the narrower dtype first, so that both see the same values.
      // Always copies: an operator may write to its input.
      const auto wanted = tensor.is_floating_point() ? dtype : tensor.scalar_type();
      return tensor.detach().to(wanted, /*non_blocking=*/false, /*copy=*/true);
    });
  };
  std::vector<std::string> accepted, refused;
  for (const auto dtype :
       {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kComplexFloat, at::kComplexDouble,
        at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kBool}) {
    const auto name = dtype_name(dtype);
    const auto given = converted(dtype);
    const auto outcome = run_forked(
        [&]() -> std::string {
          Tensors outputs;
          const auto error = call.try_run(given, outputs);
          if (!error.empty()) return "refused";
          // Whole numbers and complex ones have other answers by right.
          if (!at::isFloatingType(dtype)) return "";
          auto exact = converted(dtype);  // the call may have written to `given`
          for (auto& tensor : exact)
            tensor = tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
          Tensors expected;
          if (!call.try_run(exact, expected).empty()) return "";
          return finding_text(difference(outputs, expected, "in " + name, dtype));
        },
        patience);
    if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
    if (outcome.end != ForkedOutcome::End::answered ||
        !(outcome.answer.empty() || outcome.answer == "refused")) {
      return failed(outcome.end == ForkedOutcome::End::answered
                        ? outcome.answer + " (as in float64)"
                        : "in " + name + ": " + outcome.describe(),
                    "Check the dtype before memory is read (data_ptr<T>() does), or dispatch on it "
                    "(AT_DISPATCH_FLOATING_TYPES).");
    }
    (outcome.answer.empty() ? accepted : refused).push_back(name);
  }
  return passed("accepts " + joined(accepted) +
                (refused.empty() ? "" : "; refuses " + joined(refused)));
}

OpcheckFinding check_precision(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  const auto in_double = call.map([](const at::Tensor& tensor) {
    const auto copy = tensor.detach().clone();
    return copy.is_floating_point() ? copy.to(at::kDouble) : copy;
  });
  Tensors outputs;
  if (const auto error = call.try_run(in_double, outputs); !error.empty()) {
    return skipped("it does not take float64");
  }
  bool tried = false;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (outputs[o].scalar_type() != at::kDouble) continue;
    const auto precision = computed_precision(outputs[o]);
    if (!precision) continue;
    tried = true;
    if (*precision == at::kDouble) continue;
    bool given_so = false;  // an operator that only moves numbers gives what it was given
    for (const auto& input : in_double) {
      given_so = given_so || (input.scalar_type() == at::kDouble &&
                              at::equal(input.to(at::kFloat).to(at::kDouble), input));
    }
    if (given_so) continue;
    auto finding =
        failed("every element of output " + std::to_string(o) +
                   " fits float32 exactly: float64 inputs are computed in float32",
               "Compute in the dtype that was given: look for float, expf, 1.0f and casts.");
    finding.output = static_cast<int64_t>(o);
    return finding;
  }
  if (auto fault = gradient_precision_fault(call)) return *fault;
  if (!tried) return skipped("no float64 output has enough telling values");
  return passed("float64 in, float64 precision out");
}

OpcheckFinding check_broadcasting(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  bool tried = false, ran = false;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    bool has_partner = false;
    for (size_t other = 0; other < call.tensors().size(); ++other) {
      const auto& partner = call.tensors()[other].tensor;
      // Indices have shapes of their own.
      const bool is_index =
          (tensor.scalar_type() == at::kLong) != (partner.scalar_type() == at::kLong);
      has_partner = has_partner || (other != i && !is_index && partner.sizes() == tensor.sizes());
    }
    for (int64_t dim = 0; has_partner && dim < tensor.dim(); ++dim) {
      if (tensor.size(dim) < 2) continue;
      auto given = call.fresh(), plain = call.fresh();
      given[i] = given[i].detach().narrow(dim, 0, 1).contiguous();
      plain[i] = given[i].expand(tensor.sizes()).contiguous();
      const auto expected = call.run(plain);
      // Shapes that follow from the input's (a concatenation's) are no broadcast.
      if (expected.empty() || expected[0].sizes() != tensor.sizes()) continue;
      tried = true;
      // In a copy: a kernel that goes by the other input's size reads past the end of this one.
      const auto outcome = run_forked(
          [&]() -> std::string {
            Tensors actual;
            if (!call.try_run(given, actual).empty()) return "refused";
            // A product of square matrices takes another size for what it is.
            if (actual.empty() || actual[0].sizes() != expected[0].sizes()) return "refused";
            return finding_text(difference(actual, expected,
                                           "with " + call.tensors()[i].name +
                                               " broadcast along dimension " +
                                               std::to_string(dim)));
          },
          patience);
      if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
      if (outcome.end == ForkedOutcome::End::answered && outcome.answer == "refused") continue;
      ran = true;
      if (outcome.end == ForkedOutcome::End::answered && outcome.answer.empty()) continue;
      auto finding =
          failed(outcome.end == ForkedOutcome::End::answered
                     ? outcome.answer
                     : "with " + call.tensors()[i].name + " broadcast along dimension " +
                           std::to_string(dim) + ": " + outcome.describe(),
                 "Broadcast first (at::expand_outplace, TensorIterator), or check that the "
                 "shapes are equal.");
      finding.input = call.tensors()[i].name;
      return finding;
    }
  }
  if (!tried) return skipped("no two inputs have the same shape");
  return passed(ran ? "inputs of size 1 give the same as expanded ones"
                    : "it refuses to broadcast");
}

OpcheckFinding check_not_a_number(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  bool tried = false;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    if (!tensor.is_floating_point() || tensor.numel() == 0) continue;
    const int64_t place = tensor.numel() / 2;
    const auto with = [&](double value) {
      auto given = call.fresh();
      given[i] = tensor.detach().clone(at::MemoryFormat::Contiguous);
      given[i].view(-1)[place].fill_(value);
      Tensors outputs;
      const auto error = call.try_run(given, outputs);
      return error.empty() ? std::optional(outputs) : std::nullopt;
    };
    const auto before = with(0.3), after = with(0.8);
    const auto nan = with(std::numeric_limits<double>::quiet_NaN());
    with(std::numeric_limits<double>::infinity());
    if (!before || !after || !nan) continue;
    for (size_t o = 0; o < nan->size(); ++o) {
      const auto& output = (*nan)[o];
      if (!output.is_floating_point() || output.sizes() != (*after)[o].sizes() ||
          (*before)[o].sizes() != output.sizes()) {
        continue;
      }
      // Where the output depends on this element.
      const auto depends = (*before)[o].ne((*after)[o]);
      if (!depends.any().item<bool>()) continue;
      tried = true;
      const auto swallowed = depends.logical_and(at::isnan(output).logical_not());
      if (!swallowed.any().item<bool>()) continue;
      const auto flat = swallowed.reshape(-1).to(at::kByte).argmax().item<int64_t>();
      const auto from = index_text(index_of(tensor, place));
      auto finding = failed(
          "NaN in element " + from + " of " + call.tensors()[i].name + " is lost: element " +
              index_text(index_of(output, flat)) + " of output " + std::to_string(o) +
              ", which depends on it, is " + element_words(output, flat),
          "PyTorch's operators pass NaN on. Comparisons and std::max with NaN are false: test with "
          "std::isnan, or turn the comparison round.");
      finding.input = call.tensors()[i].name;
      finding.output = static_cast<int64_t>(o);
      finding.index = index_of(output, flat);
      return finding;
    }
  }
  if (!tried) return skipped("no floating output depends on an element that was tried");
  return passed("NaN reaches every output that depends on it");
}

}  // namespace opsmith
