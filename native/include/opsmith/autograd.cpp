// One differentiable operator out of a forward and a backward operator, for any signature.
//
// The forward operator's schema is taken over under the new name. Two boxed kernels are registered:
// one under CompositeExplicitAutograd that calls forward, and one under Autograd that calls it
// below autograd and records a node whose backward calls the backward operator. Gradients of
// gradients work where the backward operator is itself differentiable.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/stack.h>
#include <ATen/ExpandUtils.h>
#include <opsmith/binding.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(hidden)
namespace opsmith {
namespace {

using c10::IValue;
using c10::Stack;
using torch::autograd::variable_list;

/// Namespaces of libtorch itself, where a project's forward is not looked for.
bool is_builtin_namespace(std::string_view ns) {
  for (std::string_view name :
       {"aten", "prim", "prims", "quantized", "_quantized", "sparse", "inductor", "mkldnn",
        "onednn", "profiler", "c10d", "_c10d_functional", "cuda", "debugprims", "higher_order"}) {
    if (ns == name) return true;
  }
  return false;
}

bool is_tensor_list(const c10::TypePtr& type) {
  if (auto optional = type->cast<c10::OptionalType>()) {
    return is_tensor_list(optional->getElementType());
  }
  auto list = type->cast<c10::ListType>();
  return list && list->getElementType()->isSubtypeOf(*c10::OptionalType::ofTensor());
}

bool is_tensor(const c10::TypePtr& type) {
  return type->isSubtypeOf(*c10::OptionalType::ofTensor());
}

/// A value of a call: one tensor, a list of tensors, or anything else, kept as it is.
struct value_shape {
  static constexpr int64_t single = -1;
  static constexpr int64_t plain = -2;
  int64_t count = plain;  ///< elements of a list, or one of the above
  IValue value;           ///< only where it is plain
};

void append_tensors(const IValue& value, std::vector<at::Tensor>& out) {
  for (const IValue& element : value.toListRef()) {
    out.push_back(element.isNone() ? at::Tensor() : element.toTensor());
  }
}

/// Takes a value apart into tensors (which go through SavedVariable) and the rest.
value_shape take_apart(const IValue& value, const c10::TypePtr& type,
                       std::vector<at::Tensor>& tensors) {
  if (value.isTensor() || (value.isNone() && is_tensor(type))) {
    tensors.push_back(value.isNone() ? at::Tensor() : value.toTensor());
    return {value_shape::single, IValue()};
  }
  if (value.isList() && is_tensor_list(type)) {
    append_tensors(value, tensors);
    return {static_cast<int64_t>(value.toListRef().size()), IValue()};
  }
  return {value_shape::plain, value};
}

/// Puts it together again, as an argument of the type that the operator takes.
IValue put_together(const value_shape& shape, c10::ArrayRef<at::Tensor> tensors,
                    const c10::TypePtr& type) {
  if (shape.count == value_shape::plain) return shape.value;
  const bool takes_list = is_tensor_list(type);
  if (shape.count == value_shape::single && !takes_list) {
    const bool is_none = !tensors[0].defined() && type->kind() == c10::TypeKind::OptionalType;
    return is_none ? IValue() : IValue(tensors[0]);
  }
  c10::TypePtr list_type = type;
  if (auto optional = type->cast<c10::OptionalType>()) list_type = optional->getElementType();
  const auto element_type = list_type->expectRef<c10::ListType>().getElementType();
  const bool takes_none = element_type->kind() == c10::TypeKind::OptionalType;
  c10::impl::GenericList list(element_type);
  for (const at::Tensor& tensor : tensors) {
    list.push_back(!tensor.defined() && takes_none ? IValue() : IValue(tensor));
  }
  return IValue(std::move(list));
}

/// Where an argument of backward comes from.
struct backward_source {
  enum class kind { gradient, output, input } kind;
  std::size_t index;
};

/// An autograd entry, with its names resolved against the two operators' schemas.
class paired_operator {
 public:
  paired_operator(const autograd_entry& entry, c10::OperatorHandle forward,
                  c10::OperatorHandle backward)
      : label(c10::str("autograd entry ", entry.ns, "::", entry.name, " (", entry.file, ":",
                       entry.line, ")")),
        name(std::string(entry.ns) + "::" + entry.name),
        forward(std::move(forward)),
        backward(std::move(backward)) {
    const auto& schema = this->forward.schema();
    TORCH_CHECK(!schema.is_mutable(), label, ": ", schema.name(),
                " writes to one of its inputs; autograd needs a forward that returns new tensors");
    single_list_output = schema.returns().size() == 1 && is_tensor_list(schema.returns()[0].type());
    const auto& parameters = this->backward.schema().arguments();
    TORCH_CHECK(entry.backward_arg_count <= parameters.size(), label, ": \"backwardArgs\" has ",
                entry.backward_arg_count, " entries, but ", this->backward.schema(), " takes ",
                parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (i < entry.backward_arg_count) {
        sources.push_back(resolve_source(entry.backward_args[i]));
      } else {
        TORCH_CHECK(parameters[i].default_value(), label, ": \"backwardArgs\" gives ",
                    entry.backward_arg_count, " arguments, but ", this->backward.schema(),
                    " also needs '", parameters[i].name(), "'");
      }
    }
    for (std::size_t i = 0; i < entry.gradient_count; ++i) {
      const std::string name = entry.gradients[i];
      if (name.empty()) {
        gradients.emplace_back();
        continue;
      }
      const std::size_t input = resolve_input(name);
      const auto& type = schema.arguments()[input].type();
      TORCH_CHECK(is_tensor(type) || is_tensor_list(type), label, ": \"gradients\" names '", name,
                  "', which is not a tensor but ", type->repr_str());
      gradients.emplace_back(input);
    }
  }

  const std::string label;
  const std::string name;  ///< of the differentiable operator
  const c10::OperatorHandle forward;
  const c10::OperatorHandle backward;
  std::vector<backward_source> sources;
  std::vector<std::optional<std::size_t>> gradients;
  bool single_list_output = false;

 private:
  backward_source resolve_source(const std::string& text) const {
    for (const auto& [prefix, kind] : {std::pair("grad", backward_source::kind::gradient),
                                       std::pair("output", backward_source::kind::output)}) {
      const std::string with_colon = std::string(prefix) + ":";
      if (text.rfind(with_colon, 0) != 0) continue;
      const auto index = parse_index(text.substr(with_colon.size()));
      TORCH_CHECK(index, label, ": \"", text, "\" in \"backwardArgs\" is not ", with_colon, "N");
      TORCH_CHECK(single_list_output || *index < forward.schema().returns().size(), label, ": \"",
                  text, "\" in \"backwardArgs\", but ", forward.schema(), " has ",
                  forward.schema().returns().size(), " outputs");
      return {kind, *index};
    }
    return {backward_source::kind::input, resolve_input(text)};
  }

  static std::optional<std::size_t> parse_index(const std::string& text) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
  }

  std::size_t resolve_input(const std::string& name) const {
    const auto& arguments = forward.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].name() == name) return i;
    }
    const auto index = parse_index(name);
    TORCH_CHECK(index && *index < arguments.size(), label, ": '", name,
                "' is not grad:N, output:N or an input of ", forward.schema());
    return *index;
  }
};

/// What one call of the operator leaves behind for its backward, apart from tensors.
struct recorded_call : torch::CustomClassHolder {
  explicit recorded_call(const paired_operator* op) : op(op) {}
  const paired_operator* op;
  std::vector<value_shape> saved;    ///< for each source that is an input or an output
  std::vector<int64_t> outputs;      ///< value_shape::count of each result of forward
  std::vector<int64_t> input_start;  ///< where each input's tensors begin among all of them
  std::vector<int64_t> input_count;
  std::vector<std::vector<int64_t>> sizes;  ///< of each tensor among the inputs
};

/// One call of the operator under autograd.
struct autograd_call {
  const paired_operator* op;
  const c10::OperatorHandle* self;
  c10::DispatchKeySet keys;
  Stack* stack;
  c10::intrusive_ptr<recorded_call> record;
};

struct paired_function : torch::autograd::Function<paired_function> {
  static variable_list forward(torch::autograd::AutogradContext* ctx, at::TensorList,
                               const autograd_call& call) {
    const paired_operator& op = *call.op;
    const auto& schema = op.forward.schema();
    Stack& stack = *call.stack;
    const std::vector<IValue> inputs(stack.end() - static_cast<int64_t>(schema.arguments().size()),
                                     stack.end());
    {
      at::AutoDispatchBelowADInplaceOrView below_autograd;
      call.self->redispatchBoxed(call.keys & c10::after_ADInplaceOrView_keyset, &stack);
    }
    const c10::ArrayRef<IValue> results = torch::jit::last(stack, schema.returns().size());

    variable_list outputs;
    for (std::size_t i = 0; i < results.size(); ++i) {
      call.record->outputs.push_back(
          take_apart(results[i], schema.returns()[i].type(), outputs).count);
    }
    for (const at::Tensor& output : outputs) {
      TORCH_CHECK(output.defined(), op.label, ": ", schema.name(), " returned an undefined tensor");
    }

    variable_list to_save;
    for (const backward_source& source : op.sources) {
      if (source.kind == backward_source::kind::input) {
        call.record->saved.push_back(
            take_apart(inputs[source.index], schema.arguments()[source.index].type(), to_save));
      } else if (source.kind == backward_source::kind::output) {
        const std::size_t parameter = static_cast<std::size_t>(&source - op.sources.data());
        const auto picked = pick(call.record->outputs, outputs, source.index, op, parameter);
        if (picked) {
          to_save.insert(to_save.end(), picked->tensors.begin(), picked->tensors.end());
          call.record->saved.push_back({picked->count, IValue()});
        } else {
          call.record->saved.push_back({value_shape::plain, results[source.index]});
        }
      }
    }
    ctx->save_for_backward(std::move(to_save));
    ctx->saved_data["call"] = IValue::make_capsule(call.record);
    return outputs;
  }

  static variable_list backward(torch::autograd::AutogradContext* ctx, variable_list grads) {
    const auto capsule = ctx->saved_data.at("call").toCapsule();
    const auto& record = static_cast<const recorded_call&>(*capsule);
    const paired_operator& op = *record.op;
    const auto& parameters = op.backward.schema().arguments();
    const variable_list saved = ctx->get_saved_variables();

    Stack stack;
    std::size_t next_saved = 0;
    std::size_t next_tensor = 0;
    for (std::size_t i = 0; i < op.sources.size(); ++i) {
      if (op.sources[i].kind == backward_source::kind::gradient) {
        const auto picked = pick(record.outputs, grads, op.sources[i].index, op, i);
        TORCH_CHECK(picked, op.label, ": output ", op.sources[i].index,
                    " is not a tensor, so it has no gradient");
        stack.push_back(
            put_together({picked->count, IValue()}, picked->tensors, parameters[i].type()));
        continue;
      }
      const value_shape& shape = record.saved[next_saved++];
      const std::size_t count = shape.count == value_shape::plain    ? 0
                                : shape.count == value_shape::single ? 1
                                                                     : shape.count;
      stack.push_back(put_together(shape, c10::ArrayRef(saved).slice(next_tensor, count),
                                   parameters[i].type()));
      next_tensor += count;
    }
    for (std::size_t i = op.sources.size(); i < parameters.size(); ++i) {
      stack.push_back(*parameters[i].default_value());
    }
    op.backward.callBoxed(stack);
    return hand_out(record, stack);
  }

 private:
  struct picked_value {
    int64_t count;  ///< as in value_shape
    c10::ArrayRef<at::Tensor> tensors;
  };

  /// Output N of the flat list of output tensors, a list where the parameter takes one. Where
  /// forward returns just a Tensor[], its elements count as the outputs. Nothing for a plain
  /// value.
  static std::optional<picked_value> pick(const std::vector<int64_t>& counts,
                                          c10::ArrayRef<at::Tensor> tensors, std::size_t index,
                                          const paired_operator& op, std::size_t parameter) {
    const bool takes_list = is_tensor_list(op.backward.schema().arguments()[parameter].type());
    if (op.single_list_output && !takes_list) {
      TORCH_CHECK(index < tensors.size(), op.label, ": backward asks for output ", index, ", but ",
                  op.forward.schema().name(), " returned ", tensors.size(), " tensors");
      return picked_value{value_shape::single, tensors.slice(index, 1)};
    }
    TORCH_CHECK(index < counts.size(), op.label, ": there is no output ", index);
    std::size_t start = 0;
    for (std::size_t i = 0; i < index; ++i) {
      start += counts[i] == value_shape::single ? 1 : counts[i] > 0 ? counts[i] : 0;
    }
    if (counts[index] == value_shape::plain) return std::nullopt;
    const std::size_t count = counts[index] == value_shape::single ? 1 : counts[index];
    return picked_value{counts[index], tensors.slice(start, count)};
  }

  /// Gives each result of backward to the input it belongs to; what has no gradient stays
  /// undefined.
  static variable_list hand_out(const recorded_call& record, const Stack& stack) {
    const paired_operator& op = *record.op;
    const auto& returns = op.backward.schema().returns();
    // Room for the tensors of all inputs and for the one argument of forward() that is none.
    variable_list handed(record.sizes.size() + 1);

    std::vector<IValue> results(stack.begin(), stack.end());
    const bool is_one_list = returns.size() == 1 && is_tensor_list(returns[0].type());
    const bool is_for_list_input =
        op.gradients.size() == 1 && op.gradients[0] &&
        is_tensor_list(op.forward.schema().arguments()[*op.gradients[0]].type());
    if (is_one_list && !is_for_list_input) {
      const IValue list = results[0];
      results.assign(list.toListRef().begin(), list.toListRef().end());
    }
    TORCH_CHECK(results.size() == op.gradients.size(), op.label, ": ", op.backward.schema().name(),
                " returned ", results.size(), " results, but \"gradients\" lists ",
                op.gradients.size());

    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!op.gradients[i] || results[i].isNone()) continue;
      const std::size_t input = *op.gradients[i];
      variable_list tensors;
      if (results[i].isTensor()) {
        tensors.push_back(results[i].toTensor());
      } else {
        TORCH_CHECK(results[i].isList(), op.label, ": result ", i,
                    " of backward is not a tensor but ", results[i].tagKind());
        append_tensors(results[i], tensors);
      }
      const auto& argument = op.forward.schema().arguments()[input];
      TORCH_CHECK(static_cast<int64_t>(tensors.size()) == record.input_count[input] ||
                      (tensors.size() == 1 && record.input_count[input] == 0),
                  op.label, ": result ", i, " of backward holds ", tensors.size(),
                  " tensors, but input '", argument.name(), "' has ", record.input_count[input]);
      for (int64_t k = 0; k < record.input_count[input]; ++k) {
        at::Tensor& gradient = tensors[k];
        if (!gradient.defined()) continue;
        const std::size_t slot = record.input_start[input] + k;
        // Autograd itself sums a gradient that was broadcast; anything else is a mistake.
        TORCH_CHECK(at::is_expandable_to(c10::IntArrayRef(record.sizes[slot]), gradient.sizes()),
                    op.label, ": result ", i, " of backward is the gradient of input '",
                    argument.name(), "' of shape ", c10::IntArrayRef(record.sizes[slot]),
                    ", but has shape ", gradient.sizes());
        handed[slot] = gradient;
      }
    }
    return handed;
  }
};

/// Below autograd, and where nothing requires a gradient: the forward operator itself.
struct forward_kernel : c10::OperatorKernel {
  explicit forward_kernel(c10::OperatorHandle forward) : forward(std::move(forward)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    forward.callBoxed(stack);
  }
  const c10::OperatorHandle forward;
};

struct autograd_kernel : c10::OperatorKernel {
  explicit autograd_kernel(std::shared_ptr<const paired_operator> op) : op(std::move(op)) {}

  void operator()(const c10::OperatorHandle& self, c10::DispatchKeySet keys, Stack* stack) {
    const std::size_t count = self.schema().arguments().size();
    auto record = c10::make_intrusive<recorded_call>(op.get());
    variable_list tensors;
    for (std::size_t i = 0; i < count; ++i) {
      const IValue& value = torch::jit::peek(*stack, i, count);
      const std::size_t start = tensors.size();
      variable_list own;
      take_apart(value, self.schema().arguments()[i].type(), own);
      for (at::Tensor& tensor : own) {
        // Autograd has no place for an undefined tensor among the inputs.
        if (tensor.defined()) tensors.push_back(std::move(tensor));
      }
      record->input_start.push_back(static_cast<int64_t>(start));
      record->input_count.push_back(static_cast<int64_t>(tensors.size() - start));
    }
    if (!at::GradMode::is_enabled() || !torch::autograd::any_variable_requires_grad(tensors)) {
      at::AutoDispatchBelowADInplaceOrView below_autograd;
      self.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
      return;
    }
    for (const at::Tensor& tensor : tensors)
      record->sizes.push_back(tensor.sizes().vec());

    const autograd_call call{op.get(), &self, keys, stack, record};
    const variable_list outputs = paired_function::apply(at::TensorList(tensors), call);

    const auto& returns = self.schema().returns();
    std::size_t start = 0;
    for (std::size_t i = 0; i < returns.size(); ++i) {
      const int64_t shape = record->outputs[i];
      if (shape == value_shape::plain) continue;
      const std::size_t size = shape == value_shape::single ? 1 : shape;
      torch::jit::peek(*stack, i, returns.size()) = put_together(
          {shape, IValue()}, c10::ArrayRef(outputs).slice(start, size), returns[i].type());
      start += size;
    }
  }

  const std::shared_ptr<const paired_operator> op;
};

/// `ns::name` where the name has a namespace; otherwise ns's own, or the only one of that name.
c10::OperatorHandle find_operator(const autograd_entry& entry, const std::string& name,
                                  const char* field) {
  auto& dispatcher = c10::Dispatcher::singleton();
  const bool is_qualified = name.find("::") != std::string::npos;
  const std::string own = is_qualified ? name : std::string(entry.ns) + "::" + name;
  std::vector<c10::OperatorName> found;
  std::vector<c10::OperatorName> elsewhere;
  for (const auto& candidate : dispatcher.getAllOpNames()) {
    if (candidate.name == own) {
      if (candidate.overload_name.empty()) return dispatcher.findSchema(candidate).value();
      found.push_back(candidate);
    } else if (!is_qualified) {
      const std::size_t colons = candidate.name.find("::");
      if (colons != std::string::npos &&
          candidate.name.compare(colons + 2, std::string::npos, name) == 0 &&
          !is_builtin_namespace(candidate.name.substr(0, colons))) {
        elsewhere.push_back(candidate);
      }
    }
  }
  if (found.empty()) found = elsewhere;
  TORCH_CHECK(!found.empty(), "autograd entry ", entry.ns, "::", entry.name, " (", entry.file, ":",
              entry.line, "): \"", field, "\" names ", name, ", but no operator ", own,
              " is registered");
  TORCH_CHECK(found.size() == 1, "autograd entry ", entry.ns, "::", entry.name, " (", entry.file,
              ":", entry.line, "): \"", field, "\" names ", name, ", which could be ",
              c10::toString(found[0]), " or ", c10::toString(found[1]),
              "; write the namespace too, and use an operator with one overload");
  const auto op = dispatcher.findSchema(found[0]);
  TORCH_CHECK(op, "operator ", own, " has kernels but no schema");
  return *op;
}

}  // namespace

autograd_registration::autograd_registration(const autograd_entry& entry) {
  const auto op =
      std::make_shared<const paired_operator>(entry, find_operator(entry, entry.forward, "forward"),
                                              find_operator(entry, entry.backward, "backward"));
  const std::string name = std::string(entry.ns) + "::" + entry.name;
  TORCH_CHECK(!c10::Dispatcher::singleton().findSchema({name, ""}), op->label, ": the operator ",
              name, " already exists; give the entry another name");
  auto schema = op->forward.schema().cloneWithName(name, "");
  auto library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, entry.ns, std::nullopt,
                                                  entry.file, entry.line);
  library->def(std::move(schema));
  library->impl(entry.name, torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd,
                                            torch::CppFunction::makeFromBoxedFunctor(
                                                std::make_unique<forward_kernel>(op->forward))));
  library->impl(entry.name, torch::dispatch(c10::DispatchKey::Autograd,
                                            torch::CppFunction::makeFromBoxedFunctor(
                                                std::make_unique<autograd_kernel>(op))));
  library_ = library.release();
}

autograd_registration::~autograd_registration() {
  delete static_cast<torch::Library*>(library_);
}

}  // namespace opsmith
#pragma GCC visibility pop

/// Found by dlsym in a loaded library: the differentiable operator that recorded a node of the
/// autograd graph, and the tensors that it saved. False for a node of anything else. The record
/// behind a node cannot be hashed, so libtorch's own way to saved tensors (compiled_args) ends
/// here.
extern "C" __attribute__((used, visibility("default"))) bool opsmith_describe_autograd_node(
    torch::autograd::Node* node, std::string* name, std::vector<at::Tensor>* saved) {
  auto* function = dynamic_cast<torch::autograd::CppNode<opsmith::paired_function>*>(node);
  if (function == nullptr) return false;
  const auto capsule = function->ctx_.saved_data.at("call").toCapsule();
  *name = static_cast<const opsmith::recorded_call&>(*capsule).op->name;
  *saved = function->ctx_.get_saved_variables();
  return true;
}
