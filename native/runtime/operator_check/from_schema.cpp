#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <set>

#include "runtime/failure.h"
#include "runtime/operator_check/cases.h"
#include "runtime/operator_check/checks.h"
#include "runtime/process/forked_call.h"
#include "runtime/registry.h"

namespace opsmith {
namespace {

using c10::TypeKind;
using Shapes = std::vector<std::vector<int64_t>>;

// Of the first tensor, the second …; the last stands for all that follow. What operators ask of
// their tensors' shapes, the commonest first.
const std::vector<Shapes>& shape_patterns() {
  static const std::vector<Shapes> patterns = {
      {{3, 4}},                           // elementwise, reductions
      {{4}},                              // vectors
      {{3, 4}, {4}},                      // a weight over the last dimension
      {{3, 4}, {3}},                      // a number or label for each row
      {{3, 4}, {3, 4}, {4}, {3}},         // the gradient of a normalization
      {{3, 4}, {4, 5}, {5}},              // a product of matrices, a bias
      {{3, 4}, {5, 4}, {5}},              // a linear layer
      {{4, 4}},                           // square matrices
      {{3, 3}, {3, 4}, {4, 5}, {5}},      // a layer of a graph: adjacency, features, weight, bias
      {{}},                               // numbers
      {{2, 3, 4}},                        // batches
      {{2, 3, 4}, {2, 4, 5}, {2, 3, 5}},  // batches of products
      {{2, 3, 4}, {4}},
      {{2, 3, 8, 8}},                     // images
      {{2, 3, 8, 8}, {4, 3, 3, 3}, {4}},  // a convolution
      {{2, 3, 8, 8}, {3}},                // something for each channel
      {{8, 8, 3}, {3, 3}},                // one image, a matrix
      {{2, 2, 3, 4}},                     // heads of attention
  };
  return patterns;
}

struct Dtypes {
  const char* first;
  const char* others;
  const char* last;  // of three or more
};
constexpr Dtypes dtype_patterns[] = {
    {"float32", "float32", "float32"},       {"float64", "float64", "float64"},
    {"float32", "int64", "int64"},           {"int64", "int64", "int64"},
    {"int64", "float32", "float32"},         {"float32", "float32", "int64"},
    {"uint8", "float64", "float64"},         {"bool", "bool", "bool"},
    {"complex64", "complex64", "complex64"},
};

// Of numbers, flags, strings and what may be None.
constexpr int variants = 3;

struct Suggestion {
  const Shapes& shapes;
  const Dtypes& dtypes;
  int variant;
  size_t tensors;  // how many there are in all
  bool requires_grad;
};

class CaseBuilder {
 public:
  explicit CaseBuilder(const Suggestion& suggestion) : suggestion_(suggestion) {}

  OperatorCheckCase build(const c10::FunctionSchema& schema) {
    const auto& arguments = schema.arguments();
    size_t needed = 0;  // what stands after the last argument without a default may be left out
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].default_value()) needed = i + 1;
    }
    for (size_t i = 0; i < needed; ++i)
      made_.args.push_back(value(arguments[i], arguments[i].real_type(), arguments[i].name()));
    return std::move(made_);
  }

 private:
  Literal tensor(const std::string& name) {
    const auto& shapes = suggestion_.shapes;
    const auto place = made_.inputs.size();
    InputSpec spec;
    spec.name = name;
    spec.position = static_cast<int64_t>(place);
    spec.seed = spec.position;
    spec.shape = shapes[std::min(place, shapes.size() - 1)];
    const bool is_last = place >= 2 && place + 1 == suggestion_.tensors;
    spec.dtype = place == 0 ? suggestion_.dtypes.first
                 : is_last  ? suggestion_.dtypes.last
                            : suggestion_.dtypes.others;
    const bool is_floating = spec.dtype.find("float") != std::string::npos ||
                             spec.dtype.find("complex") != std::string::npos;
    if (!is_floating) {
      // Small enough to be places of another tensor.
      spec.distribution = Distribution::randint;
      spec.low = 0;
      spec.high = spec.dtype == "bool" ? 2 : 3;
    }
    spec.requires_grad = is_floating && suggestion_.requires_grad;
    made_.inputs.push_back(spec);
    return {name};
  }

  Literal value(const c10::Argument& argument, const c10::TypePtr& type, const std::string& name) {
    const int variant = suggestion_.variant;
    switch (type->kind()) {
      case TypeKind::TensorType:
        return tensor(name);
      case TypeKind::OptionalType: {
        const auto element = type->expectRef<c10::OptionalType>().getElementType();
        if (variant == 0 || element->kind() == TypeKind::GeneratorType) return {};
        return value(argument, element, name);
      }
      case TypeKind::ListType: {
        const auto element = type->expectRef<c10::ListType>().getElementType();
        const int count = argument.N().value_or(element->kind() == TypeKind::TensorType ? 2 : 1);
        Literal::List list;
        for (int i = 0; i < count; ++i)
          list.push_back(value(argument, element, name + "_" + std::to_string(i)));
        return {std::move(list)};
      }
      case TypeKind::IntType:
      case TypeKind::SymIntType:
      case TypeKind::NumberType:
        return {variant == 0 ? 1.0 : variant == 1 ? 2.0 : 0.0};
      case TypeKind::FloatType:
      case TypeKind::SymFloatType:
      case TypeKind::ComplexType:
        return {variant == 0 ? 0.5 : variant == 1 ? 1.0 : 0.0};
      case TypeKind::BoolType:
      case TypeKind::SymBoolType:
        return {variant == 1};
      case TypeKind::StringType:
        return {std::string(variant == 0 ? "none" : variant == 1 ? "mean" : "")};
      case TypeKind::ScalarTypeType:
        return {std::string("float32")};
      case TypeKind::LayoutType:
        return {std::string("strided")};
      case TypeKind::MemoryFormatType:
        return {std::string("contiguous_format")};
      case TypeKind::DeviceObjType:
        return {std::string("cpu")};
      case TypeKind::NoneType:
      case TypeKind::AnyType:
        return {};
      default:
        throw Failure(ErrorCode::input_invalid,
                      "no value of the type " + type->str() + " (argument " + name +
                          ") can be generated from the schema",
                      "In the project's program, write a function that creates this argument, and "
                      "check the function.");
    }
  }

  const Suggestion& suggestion_;
  OperatorCheckCase made_;
};

size_t count_tensors(const c10::FunctionSchema& schema) {
  size_t count = 0;
  for (const auto& argument : schema.arguments())
    count += argument.real_type()->str().find("Tensor") == std::string::npos ? 0 : 1;
  return count;
}

// Gradients are looked at where something takes care of them, and where no leaf would be written.
bool may_require_grad(const Callable& callable) {
  for (const auto& argument : callable.schema.arguments()) {
    if (argument.alias_info() != nullptr && argument.alias_info()->isWrite()) return false;
  }
  if (callable.function != nullptr) return true;
  const auto op = find_operator(callable.name);
  using Key = c10::DispatchKey;
  return op.hasKernelForDispatchKey(Key::Autograd) ||
         op.hasKernelForDispatchKey(Key::AutogradCPU) ||
         op.hasKernelForDispatchKey(Key::CompositeImplicitAutograd);
}

struct Refusal {
  std::string reason;  // "" when the operator takes it
  bool ended = false;  // it ended its process
};

Refusal refusal(const Callable& callable, const OperatorCheckCase& made) {
  const auto outcome = run_forked(
      [&]() -> std::string {
        try {
          const auto call = call_of(callable, made);
          const Stage stage(ErrorCode::operator_check);
          Tensors outputs;
          return call.try_run(call.fresh(), outputs);
        } catch (...) {
          return brief(describe_current_exception().message);
        }
      },
      5);
  if (outcome.end == ForkedOutcome::End::answered) return {outcome.answer};
  return {outcome.describe(), outcome.ended()};
}

// "x float32[3, 4], y int64[3]"
std::string shapes_words(const OperatorCheckCase& made) {
  std::string text;
  for (const auto& spec : made.inputs)
    text += (text.empty() ? "" : ", ") + spec.name + " " + spec.dtype + index_text(*spec.shape);
  return text.empty() ? "no tensors" : text;
}

struct Attempt {
  std::string words;
  Refusal refusal;
};

[[noreturn]] void none_accepted(const Callable& callable, const std::vector<Attempt>& tried) {
  // One for each reason: a hundred shapes are refused in few ways.
  constexpr size_t most_reasons = 3;
  std::set<std::string> reasons;
  std::string said, all;
  bool ended = false;
  for (const auto& [words, refusal] : tried) {
    const auto line = words + ": " + refusal.reason;
    all += line + "\n";
    ended = ended || refusal.ended;
    if (!reasons.insert(refusal.reason).second || reasons.size() > most_reasons) continue;
    said += (said.empty() ? "" : "; ") + line;
  }
  const auto calls = std::to_string(tried.size()) + " calls generated from its schema";
  // Inputs that nobody gave may well be what ends the process.
  Failure failure(
      ErrorCode::input_invalid,
      callable.name +
          (ended ? " could not be called with generated inputs. All " + calls + " failed: "
                 : " refuses all of the " + calls + ": ") +
          said,
      "Give the operator arguments and inputs: add an entry with `args` and `inputs` to `checks` "
      "in opsmith.json.");
  failure.detail = std::move(all);
  throw failure;
}

}  // namespace

OperatorCheckCase case_from_schema(const Callable& callable) {
  const auto tensors = count_tensors(callable.schema);
  const bool requires_grad = may_require_grad(callable);
  // Each takes the time of a crash, and they have one cause or two.
  constexpr int most_ends = 32;
  int ends = 0;
  std::set<std::string> seen;
  std::vector<Attempt> tried;
  for (int variant = 0; variant < variants; ++variant) {
    for (const auto& dtypes : dtype_patterns) {
      for (const auto& shapes : shape_patterns()) {
        const Suggestion suggestion{shapes, dtypes, variant, tensors, requires_grad};
        auto made = CaseBuilder(suggestion).build(callable.schema);
        if (!seen.insert(case_words(callable, made)).second) continue;
        auto answer = refusal(callable, made);
        if (answer.reason.empty()) return made;
        ends += answer.ended ? 1 : 0;
        tried.push_back({shapes_words(made), std::move(answer)});
        if (ends == most_ends) none_accepted(callable, tried);
      }
    }
  }
  none_accepted(callable, tried);
}

}  // namespace opsmith
