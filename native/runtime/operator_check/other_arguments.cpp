#include "runtime/operator_check/other_arguments.h"

#include <ATen/core/jit_type.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <set>

#include "runtime/operator_check/checks.h"

namespace opsmith {
namespace {

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

class Choices {
 public:
  explicit Choices(const OperatorCall& call) : call_(call) {
    for (const auto& tensor : call.values())
      rank_ = std::max(rank_, tensor.dim());
  }

  std::vector<OtherArgument> all() {
    const auto& arguments = call_.arguments();
    const auto& schema = call_.callable().schema.arguments();
    for (place_ = 0; place_ < arguments.size() && place_ < schema.size(); ++place_) {
      name_ = schema[place_].name();
      const auto& value = arguments[place_];
      if (value.isBool() && !promises(name_)) add_flag(!value.toBool());
      if (names_dimension(name_) && (value.isInt() || value.isIntList()))
        add_dimensions(value.isIntList());
      else if (value.isIntList())
        add_lists(value.toIntVector());
      if (value.isDouble()) add_numbers(value.toDouble());
      if (value.isString()) add_words(value.toStringRef());
      if (value.isNone()) add_tensor(schema[place_].real_type());
    }
    return std::move(choices_);
  }

 private:
  void add(c10::IValue value, const std::string& text,
           std::optional<c10::IValue> same = std::nullopt) {
    choices_.push_back(
        {place_, std::move(value), "with " + name_ + " = " + text + ": ", std::move(same)});
  }

  void add_flag(bool other) { add(other, other ? "True" : "False"); }

  void add_dimensions(bool is_list) {
    const auto value = [is_list](int64_t dim) {
      return is_list ? c10::IValue(std::vector<int64_t>{dim}) : c10::IValue(dim);
    };
    for (int64_t dim = 0; dim < rank_; ++dim) {
      for (const int64_t counted : {dim, dim - rank_}) {
        const auto number = std::to_string(counted);
        add(value(counted), is_list ? "[" + number + "]" : number,
            counted < 0 ? std::optional(value(dim)) : std::nullopt);
      }
    }
  }

  // Smaller ones, or the same ones in another order: larger ones may reach beyond a tensor.
  void add_lists(const std::vector<int64_t>& given) {
    if (given.size() < 2) return;
    std::set<std::vector<int64_t>> lists;
    auto turned = given;
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    lists.insert(turned);
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i] < 2) continue;
      auto smaller = given;
      smaller[i] = 1;
      lists.insert(smaller);
    }
    lists.erase(given);
    for (const auto& list : lists)
      add(list, index_text(list));
  }

  void add_numbers(double given) {
    const double half = given == 0 ? 0.5 : given / 2;
    for (const double other : {half, given + 1.25})
      add(other, number_text(other));
  }

  void add_words(const std::string& given) {
    static const std::vector<std::vector<std::string>> modes = {
        {"mean", "sum", "none"},
        {"zeros", "border", "reflection"},
        {"nearest", "bilinear", "bicubic"},
        {"constant", "reflect", "replicate", "circular"},
    };
    for (const auto& words : modes) {
      if (std::find(words.begin(), words.end(), given) == words.end()) continue;
      for (const auto& word : words) {
        if (word != given) add(word, "\"" + word + "\"");
      }
    }
  }

  // A bias: what is added has a gradient, whoever wrote the operator.
  void add_tensor(const c10::TypePtr& type) {
    const bool takes_tensor =
        type->kind() == c10::TypeKind::OptionalType &&
        type->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::TensorType;
    if (!takes_tensor || name_.find("bias") == std::string::npos) return;
    std::set<std::vector<int64_t>> shapes;
    at::ScalarType dtype = at::kFloat;
    bool requires_grad = false;
    for (const auto& tensor : call_.values()) {
      if (!tensor.is_floating_point() || tensor.dim() == 0) continue;
      dtype = tensor.scalar_type();
      requires_grad = requires_grad || tensor.requires_grad();
      shapes.insert({tensor.size(-1)});
      shapes.insert({tensor.size(0)});
      if (tensor.dim() > 1) shapes.insert({tensor.size(1)});
    }
    auto generator = at::detail::createCPUGenerator(11);
    for (const auto& shape : shapes) {
      auto tensor = at::randn(shape, generator, at::TensorOptions().dtype(at::kDouble)).to(dtype);
      if (requires_grad) tensor.requires_grad_();
      add(tensor, "a tensor of shape " + index_text(shape));
    }
  }

  const OperatorCall& call_;
  int64_t rank_ = 0;
  size_t place_ = 0;
  std::string name_;
  std::vector<OtherArgument> choices_;
};

}  // namespace

std::vector<OtherArgument> other_arguments(const OperatorCall& call) {
  return Choices(call).all();
}

}  // namespace opsmith
