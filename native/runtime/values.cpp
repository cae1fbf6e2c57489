#include "runtime/values.h"

#include <ATen/ops/clone.h>

namespace opsmith {
namespace {

using c10::IValue;

void flatten_into(const IValue& value, std::vector<IValue>& flat) {
  if (value.isTuple()) {
    for (const auto& element : value.toTupleRef().elements())
      flatten_into(element, flat);
  } else if (value.isTensorList() || value.isOptionalTensorList()) {
    for (const auto& element : value.toListRef())
      flatten_into(element, flat);
  } else {
    flat.push_back(value);
  }
}

void flatten_deeply_into(const IValue& value, std::vector<IValue>& flat) {
  if (value.isTuple()) {
    for (const auto& element : value.toTupleRef().elements())
      flatten_deeply_into(element, flat);
  } else if (value.isList() && !value.isIntList() && !value.isDoubleList() && !value.isBoolList()) {
    for (const auto& element : value.toListRef())
      flatten_deeply_into(element, flat);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict())
      flatten_deeply_into(entry.value(), flat);
  } else {
    flat.push_back(value);
  }
}

IValue clone_of(const IValue& value) {
  if (value.isTensor()) {
    const auto& tensor = value.toTensor();
    if (!tensor.defined()) return value;
    auto clone = tensor.detach().clone();
    if (tensor.requires_grad()) clone.requires_grad_();
    return clone;
  }
  if (value.isTuple()) {
    std::vector<IValue> elements;
    for (const auto& element : value.toTupleRef().elements())
      elements.push_back(clone_of(element));
    return c10::ivalue::Tuple::create(std::move(elements));
  }
  if (value.isList()) {
    const auto list = value.toList();
    c10::impl::GenericList clones(list.elementType());
    for (const auto& element : value.toListRef())
      clones.push_back(clone_of(element));
    return clones;
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    c10::impl::GenericDict clones(dict.keyType(), dict.valueType());
    for (const auto& entry : dict)
      clones.insert(entry.key(), clone_of(entry.value()));
    return clones;
  }
  return value;
}

}  // namespace

std::vector<IValue> flatten(const std::vector<IValue>& results) {
  std::vector<IValue> flat;
  for (const auto& result : results)
    flatten_into(result, flat);
  return flat;
}

std::vector<IValue> flatten_deeply(const std::vector<IValue>& results) {
  std::vector<IValue> flat;
  for (const auto& result : results)
    flatten_deeply_into(result, flat);
  return flat;
}

std::vector<IValue> clones_of(const std::vector<IValue>& values) {
  std::vector<IValue> clones;
  for (const auto& value : values)
    clones.push_back(clone_of(value));
  return clones;
}

}  // namespace opsmith
