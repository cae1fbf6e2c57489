#include "runtime/operator_check/cases.h"

#include <ATen/core/jit_type.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "runtime/arguments.h"
#include "runtime/failure.h"
#include "runtime/operator_check/checks.h"

namespace opsmith {
namespace {

bool is_drawn(const InputSpec& spec) {
  return !spec.values &&
         (spec.distribution == Distribution::randn || spec.distribution == Distribution::rand ||
          spec.distribution == Distribution::randint);
}

bool is_floating(const std::string& dtype) {
  return dtype.find("float") != std::string::npos || dtype.find("complex") != std::string::npos;
}

bool is_integer(const std::string& dtype) {
  return !is_floating(dtype) && dtype != "bool";
}

// Every string that names a number becomes that number.
Literal filled(const Literal& literal, const std::map<std::string, double>& numbers) {
  if (const auto* text = std::get_if<std::string>(&literal.value)) {
    const auto found = numbers.find(*text);
    return found == numbers.end() ? literal : Literal{found->second};
  }
  const auto* list = std::get_if<Literal::List>(&literal.value);
  if (list == nullptr) return literal;
  Literal::List items;
  items.reserve(list->size());
  for (const auto& item : *list)
    items.push_back(filled(item, numbers));
  return {std::move(items)};
}

bool is_integer_type(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return true;
    case c10::TypeKind::OptionalType:
      return is_integer_type(type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::ListType:
      return is_integer_type(type->expectRef<c10::ListType>().getElementType());
    default:
      return false;
  }
}

void add_integers(const Literal& literal, std::vector<int64_t>& integers) {
  if (const auto* list = std::get_if<Literal::List>(&literal.value)) {
    for (const auto& item : *list)
      add_integers(item, integers);
  }
  const auto* number = std::get_if<double>(&literal.value);
  if (number != nullptr && *number == std::trunc(*number) && std::abs(*number) < 1e15)
    integers.push_back(static_cast<int64_t>(*number));
}

// An integer argument may be a count of rows, groups or heads. A size that it divides keeps to
// multiples of it; a larger size never becomes smaller than it.
void keep_to_arguments(const Callable& callable, const std::vector<Literal>& args,
                       std::vector<SizeRange>& sizes) {
  std::vector<int64_t> integers;
  const auto& arguments = callable.schema.arguments();
  for (size_t i = 0; i < args.size() && i < arguments.size(); ++i) {
    if (is_integer_type(arguments[i].real_type())) add_integers(args[i], integers);
  }
  for (auto& size : sizes) {
    for (const int64_t integer : integers) {
      if (integer < 2 || integer > size.given) continue;
      size.min = std::max(size.min, integer);
      if (size.given % integer == 0) size.step = std::lcm(size.step, integer);
    }
  }
}

// The elements of an integer tensor may be indices into another tensor. No size becomes so small
// that they point outside.
void keep_to_indices(const std::vector<InputSpec>& inputs, const std::set<std::string>& used,
                     std::vector<SizeRange>& sizes) {
  for (const auto& spec : inputs) {
    if (used.count(spec.name) == 0 || !is_integer(spec.dtype)) continue;
    const auto values = make_input(spec).cpu();
    if (values.numel() == 0) continue;
    auto largest = values.to(at::kLong).max().item<int64_t>();
    if (spec.distribution == Distribution::randint)
      largest = std::max(largest, static_cast<int64_t>(spec.high.value_or(10)) - 1);
    std::set<int64_t> fixed;  // sizes of a tensor that they may count all elements of
    for (const auto& other : inputs) {
      if (used.count(other.name) == 0 || other.name == spec.name || !other.shape) continue;
      int64_t elements = 1, widest = 0;
      for (const int64_t size : *other.shape) {
        elements *= size;
        widest = std::max(widest, size);
      }
      if (largest > widest && largest <= elements)
        fixed.insert(other.shape->begin(), other.shape->end());
    }
    // Bytes are more often pixels than indices: only the size of a table is kept.
    const bool is_byte = spec.dtype == "uint8" || spec.dtype == "int8";
    for (auto& size : sizes) {
      const bool is_table = size.given == 256 || size.given == largest + 1;
      if (is_byte && !is_table) continue;
      if (fixed.count(size.given) > 0) size.min = size.max = size.given;
      // Offsets into a tensor end with its size.
      if (largest <= size.given) size.min = std::max(size.min, std::min(largest + 1, size.given));
    }
  }
}

// Equal sizes above 1 of inputs that may be resized are one size: what must fit together does.
std::vector<SizeRange> sizes_in(const OperatorCheckRequest& request, const Callable& callable) {
  const auto used = names_in(request.args);
  std::map<int64_t, SizeRange> sizes;
  for (const auto& spec : request.inputs) {
    if (used.count(spec.name) == 0) continue;
    // One tensor whose size is fixed, and the others need not fit it any more.
    if (spec.values || !spec.shape || !is_strided(spec)) return {};
    for (size_t dim = 0; dim < spec.shape->size(); ++dim) {
      const int64_t size = (*spec.shape)[dim];
      if (size < 2) continue;
      auto& range = sizes[size];
      range.given = size;
      range.places.push_back({spec.name, static_cast<int64_t>(dim)});
    }
  }
  std::vector<SizeRange> list;
  for (auto& [size, range] : sizes)
    list.push_back(std::move(range));
  keep_to_arguments(callable, request.args, list);
  keep_to_indices(request.inputs, used, list);
  for (auto& size : list)
    size.max = std::max(size.max, size.min);
  return list;
}

// How simple people find a number: 0, 1, -1, small whole ones, the others.
double rank(double number) {
  if (number == 0) return 0;
  if (number == 1) return 1;
  if (number == -1) return 2;
  return number == std::trunc(number) ? 3 + std::abs(number) : 1e300;
}

std::string values_words(const InputSpec& spec) {
  if (spec.values) return " = " + quote(*spec.values);
  if (is_drawn(spec)) return " of seed " + std::to_string(spec.seed.value_or(spec.position));
  if (spec.distribution == Distribution::zeros || spec.distribution == Distribution::ones)
    return std::string(" of ") + enum_text(spec.distribution);
  return std::string(" by ") + enum_text(spec.distribution);
}

}  // namespace

CaseMaker::CaseMaker(const OperatorCheckRequest& request, const Callable& callable)
    : request_(request),
      callable_(callable),
      sizes_(request.sizes),
      from_ranges_(!request.sizes.empty() || !request.numbers.empty() || !request.dtypes.empty()) {
  if (request.sizes.empty()) sizes_ = sizes_in(request, callable);
}

Draw CaseMaker::given() const {
  Draw draw;
  for (const auto& size : sizes_)
    draw.sizes.push_back(size.given);
  for (const auto& number : request_.numbers)
    draw.numbers.push_back(number.given);
  return draw;
}

std::vector<Draw> CaseMaker::others() const {
  std::vector<Draw> draws;
  if (sizes_.empty() && !from_ranges_) return draws;
  // Small, odd, past a vector register's width, past a cache line's.
  constexpr int64_t telling[] = {0, 1, 2, 3, 5, 7, 8, 9, 17, 31, 33, 64, 127, 256, 1000};
  constexpr int64_t many = 4096;  // elements, beyond which the checks take long
  std::mt19937_64 random(static_cast<uint64_t>(request_.seed));
  for (int64_t i = 0; i < request_.shapes; ++i) {
    Draw draw;
    draw.turn = i + 1;
    int64_t elements = 1;
    for (const auto& size : sizes_) {
      std::vector<int64_t> candidates;
      for (const int64_t candidate : telling) {
        const bool fits = candidate >= size.min && candidate <= size.max;
        if (fits && candidate % size.step == 0) candidates.push_back(candidate);
      }
      if (size.step > 1 || candidates.empty()) {
        for (const int64_t times : {1, 2, 3, 5}) {
          const int64_t candidate = times * size.step;
          if (candidate >= size.min && candidate <= size.max) candidates.push_back(candidate);
        }
        candidates.push_back(size.given);
      }
      if (!size.name.empty()) {
        // The ends of a range that somebody wrote are wanted most.
        candidates.push_back(size.min);
        if (size.max != size.min) candidates.push_back(size.max);
      }
      auto chosen = candidates[random() % candidates.size()];
      if (from_ranges_ && i == 0) chosen = size.min;
      if (elements * chosen > many) {
        chosen = size.step > 1 ? size.given : std::clamp(int64_t{3}, size.min, size.max);
      }
      elements *= std::max(chosen, int64_t{1});
      draw.sizes.push_back(chosen);
    }
    for (const auto& number : request_.numbers) {
      const double part = static_cast<double>(random() >> 11) / static_cast<double>(1ULL << 53);
      double value = i == 0   ? number.min
                     : i == 1 ? number.max
                              : number.min + part * (number.max - number.min);
      if (number.integer && i > 1)
        value = number.min + std::floor(part * (number.max - number.min + 1));
      draw.numbers.push_back(value);
    }
    if (!request_.dtypes.empty()) draw.dtype = static_cast<size_t>(i + 1) % request_.dtypes.size();
    draws.push_back(std::move(draw));
  }
  return draws;
}

std::vector<Draw> CaseMaker::each_integer() const {
  constexpr double most = 32;
  std::vector<Draw> draws;
  for (size_t i = 0; i < request_.numbers.size(); ++i) {
    const auto& range = request_.numbers[i];
    if (!range.integer) continue;
    const double count = std::min(range.max - range.min + 1, most);
    for (double place = 0; place < count; ++place) {
      draws.push_back(given());
      const double part = count > 1 ? place / (count - 1) : 0;
      draws.back().numbers[i] = range.min + std::round(part * (range.max - range.min));
    }
  }
  return draws;
}

std::vector<Draw> CaseMaker::simpler(const Draw& draw) const {
  std::vector<Draw> draws;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    const int64_t chosen = draw.sizes[i];
    for (const int64_t candidate :
         {sizes_[i].min, int64_t{1}, int64_t{2}, int64_t{3}, chosen / 2, chosen - 1}) {
      if (candidate < sizes_[i].min || candidate >= chosen) continue;
      if (candidate % sizes_[i].step != 0) continue;
      draws.push_back(draw);
      draws.back().sizes[i] = candidate;
    }
  }
  for (size_t i = 0; i < request_.numbers.size(); ++i) {
    const auto& range = request_.numbers[i];
    const double chosen = draw.numbers[i];
    for (const double candidate : {0.0, 1.0, -1.0, std::trunc(chosen / 2), std::trunc(chosen)}) {
      if (candidate < range.min || candidate > range.max || rank(candidate) >= rank(chosen))
        continue;
      draws.push_back(draw);
      draws.back().numbers[i] = candidate;
    }
  }
  if (draw.dtype > 0) {
    draws.push_back(draw);
    draws.back().dtype = 0;
  }
  if (draw.turn > 0) {
    draws.push_back(draw);
    draws.back().turn = 0;
  }
  return draws;
}

std::vector<SizeRange> CaseMaker::croppable() const {
  const auto used = names_in(request_.args);
  std::vector<SizeRange> sizes;
  for (const auto& size : sizes_) {
    if (used.count(size.name) == 0) sizes.push_back(size);
  }
  return sizes;
}

bool CaseMaker::may_simplify(size_t argument) const {
  if (argument >= request_.args.size()) return false;
  const auto& arguments = callable_.schema.arguments();
  const bool is_number = std::holds_alternative<double>(request_.args[argument].value);
  return is_number && argument < arguments.size() &&
         !is_integer_type(arguments[argument].real_type());
}

bool may_hold(const InputSpec& spec, double value) {
  if (!is_integer(spec.dtype)) return true;
  return !spec.values && spec.distribution == Distribution::randint &&
         value >= spec.low.value_or(0) && value < spec.high.value_or(10);
}

OperatorCheckCase CaseMaker::make(const Draw& draw) const {
  OperatorCheckCase made;
  std::map<std::string, double> numbers;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    if (!sizes_[i].name.empty())
      numbers.emplace(sizes_[i].name, static_cast<double>(draw.sizes[i]));
  }
  for (size_t i = 0; i < request_.numbers.size(); ++i)
    numbers.emplace(request_.numbers[i].name, draw.numbers[i]);
  for (const auto& argument : request_.args)
    made.args.push_back(filled(argument, numbers));
  for (auto spec : request_.inputs) {
    for (size_t i = 0; i < sizes_.size(); ++i) {
      for (const auto& place : sizes_[i].places) {
        if (place.input == spec.name && spec.shape &&
            place.dim < static_cast<int64_t>(spec.shape->size())) {
          (*spec.shape)[static_cast<size_t>(place.dim)] = draw.sizes[i];
        }
      }
    }
    // Integers may depend on each other, as those of a permutation or of offsets do.
    const bool may_be_drawn_again = from_ranges_ || !is_integer(spec.dtype);
    if (is_drawn(spec) && may_be_drawn_again)
      spec.seed = spec.seed.value_or(spec.position) + draw.turn;
    if (!request_.dtypes.empty() && is_floating(spec.dtype))
      spec.dtype = request_.dtypes[draw.dtype];
    made.inputs.push_back(std::move(spec));
  }
  return made;
}

OperatorCall call_of(const Callable& callable, const OperatorCheckCase& made) {
  ProjectInputs project;
  const auto used = names_in(made.args);
  for (const auto& spec : made.inputs) {
    project.names.push_back(spec.name);
    if (used.count(spec.name) == 0) continue;
    if (!is_strided(spec)) {
      throw Failure(ErrorCode::input_invalid,
                    "input " + spec.name +
                        ": operator checks need strided tensors, but this one is " +
                        enum_text(*spec.layout),
                    "Leave this call out of \"checks\" in opsmith.json. A gradcheck can check its "
                    "gradients.");
    }
    project.tensors.emplace(spec.name, make_input(spec));
  }
  return {callable, make_arguments(callable.schema, made.args, &project)};
}

std::string case_words(const Callable& callable, const OperatorCheckCase& made) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  const auto used = names_in(made.args);
  for (const auto& spec : made.inputs) {
    if (used.count(spec.name) == 0) continue;
    add(spec.name + " " + spec.dtype + (spec.shape ? index_text(*spec.shape) : "") +
        values_words(spec));
  }
  const auto& arguments = callable.schema.arguments();
  for (size_t i = 0; i < made.args.size() && i < arguments.size(); ++i) {
    const auto& value = made.args[i].value;
    if (std::holds_alternative<double>(value) || std::holds_alternative<bool>(value))
      add(arguments[i].name() + " = " + quote(made.args[i]));
  }
  return text;
}

}  // namespace opsmith
