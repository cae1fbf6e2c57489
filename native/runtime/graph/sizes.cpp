#include "runtime/graph/sizes.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/floor_divide.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sub.h>
#include <ATen/TracerMode.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include <algorithm>
#include <set>
#include <string>

namespace opsmith {
namespace {

namespace aten = c10::aten;
namespace jit = torch::jit;
using c10::IValue;
using c10::TypeKind;
using Stack = std::vector<IValue>;

// All are read before any is written: a loop may swap what it carries.
template <class Known>
void pass_on(Known& known, at::ArrayRef<jit::Value*> names, at::ArrayRef<jit::Value*> from) {
  std::vector<std::optional<typename Known::mapped_type>> passed;
  for (const auto* name : from) {
    const auto found = known.find(name);
    passed.push_back(found == known.end() ? std::nullopt : std::make_optional(found->second));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (passed[i]) {
      known[names[i]] = std::move(*passed[i]);
    } else {
      known.erase(names[i]);
    }
  }
}

// What a script sees of a size: reading it is no part of the trace.
IValue script_number(const at::Tensor& size, TypeKind kind) {
  const at::tracer::impl::NoTracerDispatchMode unrecorded;
  switch (kind) {
    case TypeKind::IntType:
      return size.item<int64_t>();
    case TypeKind::FloatType:
      return size.item<double>();
    case TypeKind::BoolType:
      return size.item<bool>();
    default:
      return size.item();
  }
}

at::Tensor compute_one(c10::Symbol kind, const at::Tensor& a) {
  if (kind == aten::neg) return at::neg(a);
  return kind == aten::abs || kind == c10::prim::abs ? at::abs(a) : at::Tensor();
}

// Python's operators on tensors take a number beside the tensor either as a tensor or, for those
// that compute with two numbers, as it is.
at::Tensor compute_two(c10::Symbol kind, const at::Tensor& a, const at::Tensor& b) {
  switch (kind) {
    case aten::add:
      return at::add(a, b);
    case aten::sub:
      return at::sub(a, b);
    case aten::mul:
      return at::mul(a, b);
    case aten::div:
      return at::div(a, b);
    case aten::floordiv:
      return at::floor_divide(a, b);
    default:
      return {};
  }
}

template <class Other>
at::Tensor compute_with(c10::Symbol kind, const at::Tensor& a, const Other& b) {
  switch (kind) {
    case aten::remainder:
      return at::remainder(a, b);
    case aten::pow:
      return at::pow(a, b);
    case aten::lt:
      return at::lt(a, b);
    case aten::le:
      return at::le(a, b);
    case aten::gt:
      return at::gt(a, b);
    case aten::ge:
      return at::ge(a, b);
    case aten::eq:
      return at::eq(a, b);
    case aten::ne:
      return at::ne(a, b);
    case aten::__and__:
      return a.__and__(b);
    case aten::__or__:
      return a.__or__(b);
    case aten::__xor__:
      return a.__xor__(b);
    case aten::__lshift__:
      return a.__lshift__(b);
    case aten::__rshift__:
      return a.__rshift__(b);
    default:
      return {};
  }
}

// Number first: what Python's reflected operators do (torch/_tensor.py).
at::Tensor compute_reflected(c10::Symbol kind, const at::Scalar& a, const at::Tensor& b) {
  switch (kind) {
    case aten::add:
      return at::add(b, number_tensor(a));
    case aten::sub:
      return at::rsub(b, a);
    case aten::mul:
      return at::mul(b, number_tensor(a));
    case aten::div: {
      const auto inverse = at::reciprocal(b);
      return at::mul(inverse, number_tensor(a));
    }
    case aten::floordiv:
      return at::floor_divide(number_tensor(a), b);
    case aten::remainder:
      return at::remainder(a, b);
    case aten::pow:
      return at::pow(a, b);
    case aten::lt:
      return at::gt(b, a);
    case aten::le:
      return at::ge(b, a);
    case aten::gt:
      return at::lt(b, a);
    case aten::ge:
      return at::le(b, a);
    case aten::eq:
      return at::eq(b, a);
    case aten::ne:
      return at::ne(b, a);
    default:
      return {};
  }
}

// Whether it computes with lists, whose elements are no operands.
bool takes_numbers(const Stack& stack) {
  return !stack.empty() && stack.size() <= 2 &&
         std::all_of(stack.begin(), stack.end(),
                     [](const IValue& value) { return value.isScalar() || value.isBool(); });
}

// Python counts negative indices from the end; without one where there is no such element.
std::optional<size_t> place_in(size_t size, const IValue& index) {
  if (!index.isInt()) return std::nullopt;
  const auto count = static_cast<int64_t>(size);
  const auto place = index.toInt() < 0 ? index.toInt() + count : index.toInt();
  return place >= 0 && place < count ? std::make_optional(static_cast<size_t>(place))
                                     : std::nullopt;
}

// The elements that list[first:last:step] has.
std::vector<at::Tensor> sliced(const std::vector<at::Tensor>& list, const Stack& stack) {
  const auto count = static_cast<int64_t>(list.size());
  const auto end = [&](const IValue& given, int64_t otherwise) {
    if (!given.isInt()) return otherwise;
    return std::clamp(given.toInt() < 0 ? given.toInt() + count : given.toInt(), int64_t{0}, count);
  };
  std::vector<at::Tensor> result;
  if (stack.size() != 4 || !stack[3].isInt() || stack[3].toInt() < 1) return result;
  for (auto i = end(stack[1], 0); i < end(stack[2], count); i += stack[3].toInt())
    result.push_back(list[static_cast<size_t>(i)]);
  return result;
}

}  // namespace

at::Tensor number_tensor(const at::Scalar& number) {
  const at::tracer::impl::NoTracerDispatchMode unrecorded;
  auto tensor = at::scalar_tensor(number, number.type());
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

bool keeps_sizes(const jit::Node& node) {
  static const std::set<std::string> names = {"aten::add",
                                              "aten::sub",
                                              "aten::mul",
                                              "aten::div",
                                              "aten::floordiv",
                                              "aten::remainder",
                                              "aten::pow",
                                              "aten::neg",
                                              "aten::abs",
                                              "aten::lt",
                                              "aten::le",
                                              "aten::gt",
                                              "aten::ge",
                                              "aten::eq",
                                              "aten::ne",
                                              "aten::__and__",
                                              "aten::__or__",
                                              "aten::__xor__",
                                              "aten::__lshift__",
                                              "aten::__rshift__",
                                              "aten::__getitem__",
                                              "aten::slice",
                                              "aten::list",
                                              "prim::abs",
                                              "prim::max",
                                              "prim::min",
                                              "prim::ListConstruct",
                                              "prim::ListUnpack",
                                              "prim::TupleConstruct",
                                              "prim::TupleUnpack",
                                              "prim::TupleIndex"};
  return names.count(node.kind().toQualString()) != 0;
}

void TracedSizes::forget(const jit::Node& node) {
  for (const auto* output : node.outputs()) {
    sizes_.erase(output);
    lists_.erase(output);
    tuples_.erase(output);
  }
}

void TracedSizes::rename(at::ArrayRef<jit::Value*> names, at::ArrayRef<jit::Value*> from) {
  pass_on(sizes_, names, from);
  pass_on(lists_, names, from);
  pass_on(tuples_, names, from);
}

const at::Tensor* TracedSizes::of(const jit::Value* name) const {
  const auto found = sizes_.find(name);
  return found == sizes_.end() ? nullptr : &found->second;
}

bool is_numel(const jit::Node& node) {
  static const auto numel = c10::Symbol::fromQualString("aten::numel");
  return node.kind() == numel;
}

bool TracedSizes::run(const jit::Node& node, Stack& stack) {
  if (read(node, stack) || compute(node, stack)) return true;
  take_from_containers(node, stack);
  keep_containers(node, stack);
  return false;
}

// aten::size, of one dimension or all, and aten::numel.
bool TracedSizes::read(const jit::Node& node, Stack& stack) {
  const bool counts = is_numel(node);
  if ((node.kind() != aten::size && !counts) || !stack[0].isTensor()) return false;
  const auto tensor = stack[0].toTensor();
  if (counts) {
    sizes_[node.output()] = jit::tracer::getNumelOf(tensor);
    stack = {tensor.numel()};
  } else if (stack.size() == 2) {
    const auto dimension = stack[1].toInt();
    sizes_[node.output()] = jit::tracer::getSizeOf(tensor, dimension);
    stack = {tensor.size(dimension)};
  } else {
    std::vector<at::Tensor> all;
    for (int64_t i = 0; i < tensor.dim(); ++i)
      all.push_back(jit::tracer::getSizeOf(tensor, i));
    lists_[node.output()] = std::move(all);
    stack = {tensor.sizes()};
  }
  return true;
}

// What leaves Python's tensors (float(), int(), what is in math) leaves the sizes too.
bool TracedSizes::compute(const jit::Node& node, Stack& stack) {
  if (node.outputs().size() != 1 || !takes_numbers(stack)) return false;
  const auto* a = of(node.inputs()[0]);
  const auto* b = stack.size() == 2 ? of(node.inputs()[1]) : nullptr;
  if ((a == nullptr && b == nullptr) || choose(node, stack)) return false;
  const auto kind = node.kind();
  at::Tensor result;
  if (stack.size() == 1) {
    result = compute_one(kind, *a);
  } else if (a == nullptr) {
    result = compute_reflected(kind, stack[0].toScalar(), *b);
  } else if (b == nullptr) {
    result = compute_with(kind, *a, stack[1].toScalar());
    if (!result.defined()) result = compute_two(kind, *a, number_tensor(stack[1].toScalar()));
  } else {
    result = compute_with(kind, *a, *b);
    if (!result.defined()) result = compute_two(kind, *a, *b);
  }
  if (!result.defined()) return false;
  sizes_[node.output()] = result;
  stack = {script_number(result, node.output()->type()->kind())};
  return true;
}

// max and min hand out one of what they are given, the first of equals.
bool TracedSizes::choose(const jit::Node& node, const Stack& stack) {
  if (node.kind() != c10::prim::max && node.kind() != c10::prim::min) return false;
  if (stack.size() != 2) return false;
  const auto a = stack[0].toScalar().toDouble();
  const auto b = stack[1].toScalar().toDouble();
  const bool takes_second = node.kind() == c10::prim::max ? b > a : b < a;
  if (const auto* size = of(node.inputs()[takes_second ? 1 : 0])) sizes_[node.output()] = *size;
  return true;
}

// The sizes among a list's numbers, undefined tensors between them. The list may have been written
// to since they were noted: a size counts that still stands where it stood.
std::vector<at::Tensor> TracedSizes::in_list(const jit::Value* name, const IValue& list) const {
  const auto found = lists_.find(name);
  if (found == lists_.end() || !list.isIntList()) return {};
  const auto numbers = list.toIntVector();
  auto sizes = found->second;
  sizes.resize(numbers.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].defined() && script_number(sizes[i], TypeKind::IntType).toInt() != numbers[i]) {
      sizes[i] = at::Tensor();
    }
  }
  return sizes;
}

void TracedSizes::take_element(const jit::Value* output, const IValue& element) {
  if (element.isTuple()) {
    tuples_[output] = element;
  } else if (element.isTensor() && output->type()->kind() != TypeKind::TensorType) {
    sizes_[output] = element.toTensor();
  }
}

// The numbers themselves come as ever.
void TracedSizes::take_from_containers(const jit::Node& node, const Stack& stack) {
  if (stack.empty()) return;
  if (stack[0].isTuple()) {
    const auto found = tuples_.find(node.inputs()[0]);
    if (found == tuples_.end()) return;
    const auto& elements = found->second.toTupleRef().elements();
    if (node.kind() == c10::prim::TupleUnpack) {
      for (size_t i = 0; i < node.outputs().size(); ++i)
        take_element(node.outputs()[i], elements[i]);
    } else if (node.kind() == c10::prim::TupleIndex) {
      if (const auto place = place_in(elements.size(), stack[1])) {
        take_element(node.output(), elements[*place]);
      }
    }
    return;
  }
  const auto list = in_list(node.inputs()[0], stack[0]);
  if (list.empty()) return;
  if (node.kind() == aten::__getitem__) {
    const auto place = place_in(list.size(), stack[1]);
    if (place && list[*place].defined()) sizes_[node.output()] = list[*place];
  } else if (node.kind() == c10::prim::ListUnpack) {
    for (size_t i = 0; i < node.outputs().size() && i < list.size(); ++i) {
      if (list[i].defined()) sizes_[node.outputs()[i]] = list[i];
    }
  } else if (node.kind() == aten::slice) {
    keep_list(node, sliced(list, stack));
  } else if (node.kind() == aten::list) {
    keep_list(node, list);
  } else if (stack.size() == 1 &&
             (node.kind() == c10::prim::max || node.kind() == c10::prim::min)) {
    const auto numbers = stack[0].toIntVector();
    const auto chosen = node.kind() == c10::prim::max
                            ? std::max_element(numbers.begin(), numbers.end())
                            : std::min_element(numbers.begin(), numbers.end());
    const auto& size = list[static_cast<size_t>(chosen - numbers.begin())];
    if (size.defined()) sizes_[node.output()] = size;
  }
}

void TracedSizes::keep_list(const jit::Node& node, std::vector<at::Tensor> list) {
  const bool has_size =
      std::any_of(list.begin(), list.end(), [](const at::Tensor& one) { return one.defined(); });
  if (has_size) lists_[node.output()] = std::move(list);
}

void TracedSizes::keep_containers(const jit::Node& node, const Stack& stack) {
  const auto kind = node.kind();
  if (kind == c10::prim::ListConstruct) {
    std::vector<at::Tensor> list;
    for (const auto* input : node.inputs()) {
      const auto* size = of(input);
      list.push_back(size == nullptr ? at::Tensor() : *size);
    }
    keep_list(node, std::move(list));
  } else if (kind == c10::prim::TupleConstruct) {
    std::vector<IValue> elements;
    bool has_size = false;
    for (size_t i = 0; i < stack.size(); ++i) {
      elements.push_back(as_tensors(node.inputs()[i], stack[i]));
      has_size = has_size || !elements[i].is(stack[i]);
    }
    if (has_size) tuples_[node.output()] = c10::ivalue::Tuple::create(std::move(elements));
  } else if (kind == aten::append && stack[0].isIntList()) {
    // Before the number itself is appended.
    const auto* size = of(node.inputs()[1]);
    if (size == nullptr) return;
    auto list = in_list(node.inputs()[0], stack[0]);
    list.resize(stack[0].toIntVector().size());
    list.push_back(*size);
    lists_[node.inputs()[0]] = std::move(list);
  } else if (kind == aten::add && stack.size() == 2 && stack[0].isIntList()) {
    auto list = in_list(node.inputs()[0], stack[0]);
    list.resize(stack[0].toIntVector().size());
    auto more = in_list(node.inputs()[1], stack[1]);
    more.resize(stack[1].toIntVector().size());
    list.insert(list.end(), more.begin(), more.end());
    keep_list(node, std::move(list));
  }
}

void TracedSizes::stash(const jit::Node& node, const Stack& stack) const {
  const auto& arguments = node.schema().arguments();
  for (size_t i = 0; i < arguments.size() && i < node.inputs().size(); ++i) {
    const auto& name = arguments[i].name();
    if (const auto* size = of(node.inputs()[i])) {
      const auto optional = arguments[i].type()->cast<c10::OptionalType>();
      const auto type = optional ? optional->getElementType() : arguments[i].type();
      // As in Python, a size that goes where a float or a bool is wanted becomes a constant.
      if (type->kind() == TypeKind::NumberType) {
        jit::tracer::ArgumentStash::stashValue(name, 1, *size, c10::NumberType::get());
      } else if (type->kind() == TypeKind::IntType) {
        jit::tracer::ArgumentStash::stashValue(name, 1, *size, c10::IntType::get());
      }
      continue;
    }
    const auto list = in_list(node.inputs()[i], stack[i]);
    for (size_t element = 0; element < list.size(); ++element) {
      if (!list[element].defined()) continue;
      jit::tracer::ArgumentStash::stashIntArrayRefElem(name, list.size(), element, list[element]);
    }
  }
}

IValue TracedSizes::as_tensors(const jit::Value* name, const IValue& value) const {
  if (const auto* size = of(name)) return *size;
  if (const auto found = tuples_.find(name); found != tuples_.end()) return found->second;
  const auto list = in_list(name, value);
  const bool are_sizes =
      !list.empty() &&
      std::all_of(list.begin(), list.end(), [](const auto& one) { return one.defined(); });
  if (!are_sizes) return value;
  // x.shape is a tuple in Python.
  if (name->node()->kind() != aten::size) return c10::List<at::Tensor>(list);
  return c10::ivalue::Tuple::create(std::vector<IValue>(list.begin(), list.end()));
}

}  // namespace opsmith
