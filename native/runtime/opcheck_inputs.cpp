#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <sys/sysinfo.h>

#include <limits>
#include <optional>
#include <thread>

#include "runtime/dtypes.h"
#include "runtime/elements.h"
#include "runtime/forked_call.h"
#include "runtime/opcheck_checks.h"
#include "runtime/registry.h"

namespace opsmith {
namespace {

// Seconds that a call in a copy of the process may take.
constexpr double patience = 30;

struct Precision {
  double rtol, atol;
};

// torch.testing.assert_close's, ten times as loose: another order of additions is no fault.
Precision precision_of(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kHalf:
      return {1e-2, 1e-3};
    case at::kBFloat16:
      return {1.6e-1, 1e-2};
    case at::kFloat:
      return {1.3e-5, 1e-5};
    case at::kDouble:
      return {1e-6, 1e-7};
    default:
      return {0, 0};
  }
}

at::Tensor comparable(const at::Tensor& tensor) {
  const auto dense = tensor.detach().resolve_conj().resolve_neg();
  return dense.to(dense.is_complex() ? at::kComplexDouble : at::kDouble);
}

std::string element_words(const at::Tensor& tensor, int64_t flat) {
  return element_text(tensor.detach().reshape(-1).narrow(0, flat, 1).reshape({}));
}

// What differs between two lists of outputs, beyond what `dtype` may; nullopt when nothing does.
std::optional<OpcheckFinding> difference(const Tensors& actual, const Tensors& expected,
                                         const std::string& when,
                                         std::optional<at::ScalarType> dtype = std::nullopt) {
  if (actual.size() != expected.size()) {
    return failed(when + " there are " + std::to_string(actual.size()) + " outputs, not " +
                  std::to_string(expected.size()));
  }
  for (size_t o = 0; o < actual.size(); ++o) {
    const auto at_output = [&](OpcheckFinding finding) {
      finding.output = static_cast<int64_t>(o);
      return finding;
    };
    if (actual[o].sizes() != expected[o].sizes()) {
      return at_output(failed(when + " output " + std::to_string(o) + " has shape " +
                              index_text(actual[o].sizes().vec()) + ", not " +
                              index_text(expected[o].sizes().vec())));
    }
    if (actual[o].numel() == 0) continue;
    const auto [rtol, atol] = precision_of(dtype.value_or(actual[o].scalar_type()));
    const auto left = comparable(actual[o]), right = comparable(expected[o]);
    const auto wrong = at::isclose(left, right, rtol, atol, /*equal_nan=*/true).logical_not();
    if (!wrong.any().item<bool>()) continue;
    const auto flat = wrong.reshape(-1).to(at::kByte).argmax().item<int64_t>();
    auto finding = at_output(failed(when + " element " + index_text(index_of(actual[o], flat)) +
                                    " of output " + std::to_string(o) + " is " +
                                    element_words(actual[o], flat) + ", not " +
                                    element_words(expected[o], flat)));
    finding.index = index_of(actual[o], flat);
    return finding;
  }
  return std::nullopt;
}

bool draws_random_numbers(const OperatorCall& call) {
  if (call.callable().function != nullptr) return false;
  return find_operator(call.callable().name).hasTag(at::Tag::nondeterministic_seeded);
}

// ---- ways in which a tensor can lie in memory, with the same values

struct Layout {
  const char* name;
  // Undefined where the tensor cannot lie so.
  at::Tensor (*make)(const at::Tensor&);
};

at::Tensor transposed(const at::Tensor& tensor) {
  if (tensor.dim() < 2) return {};
  return tensor.transpose(-1, -2).contiguous().transpose(-1, -2);
}

at::Tensor stepped(const at::Tensor& tensor) {
  if (tensor.dim() < 1) return {};
  auto sizes = tensor.sizes().vec();
  sizes.back() *= 2;
  const auto wide = at::empty(sizes, tensor.options());
  return wide.slice(-1, 0, std::nullopt, 2).copy_(tensor);
}

at::Tensor shifted(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return {};
  const auto longer = at::empty({tensor.numel() + 1}, tensor.options());
  return longer.slice(0, 1).view(tensor.sizes()).copy_(tensor);
}

// Stride 0 needs equal values along a dimension: the first one's.
at::Tensor expanded(const at::Tensor& tensor) {
  if (tensor.dim() < 1 || tensor.size(0) < 2) return {};
  return tensor.narrow(0, 0, 1).contiguous().expand(tensor.sizes());
}

at::Tensor channels_last(const at::Tensor& tensor) {
  if (tensor.dim() != 4) return {};
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor negated_view(const at::Tensor& tensor) {
  if (!tensor.is_floating_point()) return {};
  return at::_neg_view(tensor.neg());
}

at::Tensor conjugated_view(const at::Tensor& tensor) {
  if (!tensor.is_complex()) return {};
  return tensor.conj().resolve_conj().conj();
}

constexpr Layout layouts[] = {{"transposed", transposed},
                              {"with a step of 2", stepped},
                              {"with an offset", shifted},
                              {"expanded (stride 0)", expanded},
                              {"channels last", channels_last},
                              {"a negated view", negated_view},
                              {"a conjugated view", conjugated_view}};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

// A finding that crossed from a copy of the process, as text; "" when there was none.
std::string finding_text(const std::optional<OpcheckFinding>& finding) {
  return finding ? finding->reason : "";
}

}  // namespace

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

OpcheckFinding check_layouts(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  std::vector<std::string> same, refused;
  for (const auto& layout : layouts) {
    bool tried = false, ran = false;
    for (size_t i = 0; i < call.tensors().size(); ++i) {
      auto given = call.fresh();
      const auto changed = layout.make(given[i].detach());
      if (!changed.defined()) continue;
      tried = true;
      auto plain = given;
      given[i] = changed;
      plain[i] = changed.resolve_conj().resolve_neg().clone(at::MemoryFormat::Contiguous);
      const auto expected = call.run(plain);
      Tensors actual;
      // An operator may refuse what it cannot read: only a wrong answer is a fault.
      if (!call.try_run(given, actual).empty()) continue;
      ran = true;
      const auto& name = call.tensors()[i].name;
      if (auto finding = difference(actual, expected, "with " + name + " " + layout.name)) {
        finding->input = name;
        finding->advice =
            "The kernel reads memory as if it were contiguous: call contiguous() on " + name +
            " first, or go by its strides.";
        return *finding;
      }
    }
    if (tried) (ran ? same : refused).push_back(layout.name);
  }
  if (same.empty() && refused.empty()) return skipped("no input can lie otherwise");
  return passed(
      (same.empty() ? "" : "same answer " + joined(same)) +
      (refused.empty() ? "" : (same.empty() ? "" : "; ") + ("refused " + joined(refused))));
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
      return tensor.is_floating_point() ? tensor.detach().to(dtype) : tensor.detach().clone();
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
          auto exact = given;
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

OpcheckFinding check_broadcasting(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  bool tried = false, ran = false;
  for (size_t i = 0; i < call.tensors().size(); ++i) {
    const auto& tensor = call.tensors()[i].tensor;
    bool has_partner = false;
    for (size_t other = 0; other < call.tensors().size(); ++other)
      has_partner =
          has_partner || (other != i && call.tensors()[other].tensor.sizes() == tensor.sizes());
    for (int64_t dim = 0; has_partner && dim < tensor.dim(); ++dim) {
      if (tensor.size(dim) < 2) continue;
      tried = true;
      auto given = call.fresh(), plain = given;
      given[i] = given[i].detach().narrow(dim, 0, 1).contiguous();
      plain[i] = given[i].expand(tensor.sizes()).contiguous();
      const auto expected = call.run(plain);
      // In a copy: a kernel that goes by the other input's size reads past the end of this one.
      const auto outcome = run_forked(
          [&]() -> std::string {
            Tensors actual;
            if (!call.try_run(given, actual).empty()) return "refused";
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

OpcheckFinding check_grad_modes(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const auto expected = call.run(call.fresh());
  const auto compare = [&](const Tensors& outputs, const std::string& when) {
    return difference(outputs, expected, when);
  };
  {
    const at::NoGradGuard unrecorded;
    const auto outputs = call.run(call.fresh());
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (!outputs[o].requires_grad() || outputs[o].is_leaf()) continue;
      auto finding = failed("under no_grad, output " + std::to_string(o) + " has a graph",
                            "Do not turn gradients on inside a kernel.");
      finding.output = static_cast<int64_t>(o);
      return finding;
    }
    if (auto finding = compare(outputs, "under no_grad")) return *finding;
  }
  {
    const c10::InferenceMode inference;
    const auto given = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
    Tensors outputs;
    const auto error = call.try_run(given, outputs);
    if (!error.empty()) return failed("under inference_mode: " + error);
    if (auto finding = compare(outputs, "under inference_mode")) return *finding;
  }
  std::vector<size_t> floating;
  for (size_t i = 0; i < call.tensors().size() && floating.size() < 4; ++i) {
    if (is_differentiable_type(call.tensors()[i].tensor)) floating.push_back(i);
  }
  for (size_t subset = 0; subset < (size_t{1} << floating.size()); ++subset) {
    auto given = call.map([](const at::Tensor& tensor) { return tensor.detach().clone(); });
    std::vector<std::string> names;
    for (size_t bit = 0; bit < floating.size(); ++bit) {
      if ((subset >> bit & 1) == 0) continue;
      given[floating[bit]].requires_grad_();
      names.push_back(call.tensors()[floating[bit]].name);
    }
    const auto when = names.empty() ? std::string("when no input requires grad")
                                    : "when " + joined(names) + " require grad";
    Tensors outputs;
    const auto error = call.try_run(given, outputs);
    // Written in place, a leaf that requires grad is refused by autograd itself.
    if (!error.empty() && error.find("leaf") == std::string::npos)
      return failed(when + ": " + error);
    if (!error.empty()) continue;
    if (auto finding = compare(outputs, when)) return *finding;
  }
  return passed(
      "same answers with gradients, under no_grad, under inference_mode, and whichever "
      "inputs require grad");
}

OpcheckFinding check_threads(const OperatorCall& call) {
  if (draws_random_numbers(call)) return skipped("it draws random numbers");
  const at::NoGradGuard unrecorded;
  constexpr int count = 4, rounds = 25;
  const auto expected = call.run(call.fresh());
  const auto outcome = run_forked(
      [&]() -> std::string {
        std::vector<std::string> answers(count);
        std::vector<std::thread> threads;
        for (int t = 0; t < count; ++t) {
          threads.emplace_back([&call, &expected, &answer = answers[static_cast<size_t>(t)]] {
            const at::NoGradGuard unrecorded_too;
            for (int round = 0; round < rounds && answer.empty(); ++round) {
              Tensors outputs;
              answer = call.try_run(call.fresh(), outputs);
              if (answer.empty()) answer = finding_text(difference(outputs, expected, "then"));
            }
          });
        }
        for (auto& thread : threads)
          thread.join();
        for (const auto& answer : answers) {
          if (!answer.empty()) return answer;
        }
        return "";
      },
      patience);
  if (outcome.end == ForkedOutcome::End::not_started) return skipped(outcome.describe());
  if (outcome.end != ForkedOutcome::End::answered) {
    return failed("called from four threads at once: " + outcome.describe(),
                  "Share nothing between calls that is not const or locked.");
  }
  if (!outcome.answer.empty()) {
    return failed(
        "called from four threads at once: " + outcome.answer,
        "Share nothing between calls that is not const or locked: static buffers, caches, "
        "generators.");
  }
  return passed("four threads, 25 calls each, gave the same as one");
}

OpcheckFinding check_large(const OperatorCall& call) {
  const at::NoGradGuard unrecorded;
  if (call.tensors().size() != 1) return skipped("only operators of one tensor are tried");
  constexpr int64_t past = (int64_t{1} << 31) + 64;
  const auto& given = call.tensors()[0].tensor;
  const auto dtype = given.is_floating_point() ? at::kHalf : given.scalar_type();
  const auto options = given.options().dtype(dtype).requires_grad(false);
  const auto tail = given.detach().reshape(-1).to(dtype).repeat({64}).narrow(0, 0, 64);
  Tensors expected;
  if (!call.try_run({tail}, expected).empty() || expected.size() != 1 ||
      expected[0].sizes() != tail.sizes()) {
    return skipped("only operators that give an element for each element of a vector are tried");
  }
  struct sysinfo memory{};
  sysinfo(&memory);
  const auto needed = 3 * static_cast<uint64_t>(past) *
                      static_cast<uint64_t>(tail.element_size() + expected[0].element_size());
  if (static_cast<uint64_t>(memory.freeram) * memory.mem_unit < needed) {
    return skipped("takes " + std::to_string(needed >> 30) + " GiB of free memory");
  }
  const auto outcome = run_forked(
      [&]() -> std::string {
        auto input = at::zeros({past}, options);
        input.narrow(0, past - 64, 64).copy_(tail);
        Tensors outputs;
        const auto error = call.try_run({input}, outputs);
        if (!error.empty()) return "refused";
        return finding_text(difference({outputs[0].narrow(0, past - 64, 64)}, expected,
                                       "counted from element 2^31,"));
      },
      110);
  if (outcome.end == ForkedOutcome::End::timed_out) return skipped(outcome.describe());
  if (outcome.end == ForkedOutcome::End::answered && outcome.answer == "refused") {
    return passed("it refuses more than 2^31 elements");
  }
  if (outcome.end == ForkedOutcome::End::answered && outcome.answer.empty()) {
    return passed("right past 2^31 elements");
  }
  return failed(
      "past 2^31 elements: " + (outcome.answer.empty() ? outcome.describe() : outcome.answer),
      "Count elements with int64_t, not with int.");
}

}  // namespace opsmith
