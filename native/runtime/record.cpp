#include "runtime/record.h"

#include <torch/csrc/jit/api/module.h>

#include <fstream>

#include "runtime/arguments.h"
#include "runtime/callable.h"
#include "runtime/dtypes.h"
#include "runtime/failure.h"
#include "runtime/graph/modules.h"
#include "runtime/json_text.h"
#include "runtime/values.h"

namespace opsmith {
namespace {

using c10::IValue;
using Stack = std::vector<IValue>;

// What both kinds of file hold of a tensor: its own memory, in the order of its shape. `leaf` keeps
// requires_grad, which arguments have and results lose.
IValue plain_value(const IValue& value, bool leaf) {
  if (value.isTensor() && value.toTensor().defined()) {
    const at::Tensor& tensor = value.toTensor();
    at::Tensor plain = tensor.detach().cpu().resolve_conj().resolve_neg();
    // A view would bring all the memory that it is a part of.
    if (plain.layout() == at::kStrided) plain = plain.contiguous().clone();
    return leaf ? plain.set_requires_grad(tensor.requires_grad()) : plain;
  }
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector())
      list.push_back(plain_value(tensor, leaf).toTensor());
    return list;
  }
  return value;
}

Stack plain_values(const Stack& values, bool leaf) {
  Stack plain;
  for (const IValue& value : values)
    plain.push_back(plain_value(value, leaf));
  return plain;
}

// Arguments that an operator without results writes, by its schema; nullopt of any other.
std::optional<std::vector<int64_t>> written_by(const Callable& callable) {
  if (callable.function != nullptr || !callable.schema.returns().empty()) return std::nullopt;
  std::vector<int64_t> places;
  const auto& arguments = callable.schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (is_written(arguments[i].alias_info())) places.push_back(static_cast<int64_t>(i));
  }
  return places;
}

struct Recording {
  Stack arguments, results;
  std::optional<Stack> written;  // the places as values
};

void save_archive_of(const Recording& recording, const std::string& path) {
  torch::jit::Module module("__torch__.RecordedCall");
  const auto keep = [&](const char* name, const Stack& values) {
    const IValue tuple = c10::ivalue::Tuple::create(values);
    module.register_attribute(name, tuple.type(), tuple);
  };
  module.register_attribute("training", c10::BoolType::get(), false);
  keep("arguments", recording.arguments);
  keep("results", recording.results);
  if (recording.written) keep("written", *recording.written);
  save_archive(module, path);
}

// safetensors: https://github.com/huggingface/safetensors, "Format".
class SafeTensors {
 public:
  void add(const char* name, const Stack& values) {
    JsonText list;
    list.open('[');
    for (const IValue& value : values)
      write(list, value);
    list.close(']');
    metadata_.key(name).text(list.take());
  }

  void save(const std::string& path) {
    JsonText header;
    header.open('{').key("__metadata__");
    auto text = header.take() + "{" + metadata_.take() + "}" + tensors_ + "}";
    // Tensors begin at a multiple of eight bytes.
    while (text.size() % 8 != 0)
      text += ' ';
    std::ofstream file(path, std::ios::binary);
    uint64_t length = text.size();
    for (int i = 0; i < 8; ++i, length >>= 8U)
      file.put(static_cast<char>(length & 255U));
    file << text << bytes_;
    if (!file.flush()) throw Failure(ErrorCode::io, "Could not write " + path);
  }

 private:
  void write(JsonText& list, const IValue& value) {
    if (value.isTensor() && value.toTensor().defined()) {
      list.open('{').key("tensor").text(keep(value.toTensor())).close('}');
    } else if (value.isInt()) {
      list.integer(value.toInt());
    } else if (value.isDouble()) {
      list.real(value.toDouble());
    } else if (value.isBool()) {
      list.boolean(value.toBool());
    } else if (value.isString()) {
      list.text(value.toStringRef());
    } else if (value.isList()) {
      list.open('[');
      for (const IValue& element : value.toListRef())
        write(list, element);
      list.close(']');
    } else {
      list.null();
    }
  }

  std::string keep(const at::Tensor& tensor) {
    const auto name = "t" + std::to_string(count_++);
    const at::Tensor dense =
        (tensor.layout() == at::kStrided ? tensor : tensor.to_dense()).contiguous();
    JsonText entry;
    entry.open('{').key("dtype").text(code(dense.scalar_type())).key("shape").open('[');
    for (const int64_t size : dense.sizes())
      entry.integer(size);
    entry.close(']').key("data_offsets").open('[').integer(static_cast<int64_t>(bytes_.size()));
    bytes_.append(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes());
    entry.integer(static_cast<int64_t>(bytes_.size())).close(']').close('}');
    tensors_ += ",\"" + name + "\":" + entry.take();
    return name;
  }

  static const char* code(at::ScalarType type) {
    switch (type) {
      case at::kDouble:
        return "F64";
      case at::kFloat:
        return "F32";
      case at::kHalf:
        return "F16";
      case at::kBFloat16:
        return "BF16";
      case at::kLong:
        return "I64";
      case at::kInt:
        return "I32";
      case at::kShort:
        return "I16";
      case at::kChar:
        return "I8";
      case at::kByte:
        return "U8";
      case at::kBool:
        return "BOOL";
      case at::kComplexFloat:
        return "C64";
      case at::kComplexDouble:
        return "C128";
      default:
        throw Failure(ErrorCode::input_invalid,
                      "A tensor of " + dtype_name(type) + " cannot be recorded");
    }
  }

  JsonText metadata_;
  std::string tensors_;
  std::string bytes_;
  int64_t count_ = 0;
};

}  // namespace

RecordedCall record_call(const RecordRequest& record) {
  const auto& [request, path, make_call] = record;
  const Stage stage(ErrorCode::operator_unknown);
  const auto callable = find_callable(request.op, request.program);
  const auto used = names_in(request.args);
  ProjectInputs project;
  for (const auto& spec : request.inputs) {
    project.names.push_back(spec.name);
    if (used.count(spec.name) != 0) project.tensors.emplace(spec.name, make_input(spec));
  }
  auto stack = make_arguments(callable.schema, request.args, &project);
  // The operator may write to its inputs.
  Recording recording;
  recording.arguments = plain_values(stack, /*leaf=*/true);
  const auto written = make_call ? written_by(callable) : std::nullopt;
  if (written) recording.written = Stack(written->begin(), written->end());
  if (make_call) {
    const Stage calling(ErrorCode::operator_check);
    Stack given = stack;
    callable.call(stack);
    if (written) {
      stack.clear();
      for (const int64_t place : *written)
        stack.push_back(given[static_cast<size_t>(place)]);
    }
    recording.results = plain_values(flatten(stack), /*leaf=*/false);
  }
  const Stage writing(ErrorCode::io, "recording the call");
  save_archive_of(recording, path + ".pt");
  SafeTensors tensors;
  tensors.add("arguments", recording.arguments);
  tensors.add("results", recording.results);
  if (recording.written) tensors.add("written", *recording.written);
  tensors.save(path + ".safetensors");
  return {static_cast<int64_t>(recording.results.size()), written};
}

}  // namespace opsmith
