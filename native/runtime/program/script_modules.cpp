#include "runtime/program/script_modules.h"

#include <ATen/core/class_type.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/custom_class_detail.h>

#include <limits>
#include <optional>

#include "runtime/dtypes.h"

namespace opsmith {
namespace {

using torch::jit::BuiltinFunction;
using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;
using SugaredPtr = std::shared_ptr<SugaredValue>;

constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double e = 2.718281828459045235360287471352662498;

std::optional<c10::IValue> number_constant(const std::string& name) {
  if (name == "pi") return pi;
  if (name == "e") return e;
  if (name == "tau") return 2 * pi;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

// dtypes, layouts and memory formats are ints in TorchScript.
std::optional<c10::IValue> torch_constant(const std::string& name) {
  if (const auto dtype = dtype_from_name(name)) return static_cast<int64_t>(*dtype);
  if (name == "strided") return static_cast<int64_t>(c10::Layout::Strided);
  if (name == "sparse_coo") return static_cast<int64_t>(c10::Layout::Sparse);
  if (name == "contiguous_format") return static_cast<int64_t>(c10::MemoryFormat::Contiguous);
  if (name == "preserve_format") return static_cast<int64_t>(c10::MemoryFormat::Preserve);
  if (name == "channels_last") return static_cast<int64_t>(c10::MemoryFormat::ChannelsLast);
  if (name == "channels_last_3d") return static_cast<int64_t>(c10::MemoryFormat::ChannelsLast3d);
  return name == "e" || name == "tau" ? std::nullopt : number_constant(name);
}

SugaredPtr aten_function(const std::string& name) {
  return std::make_shared<BuiltinFunction>(c10::Symbol::fromQualString("aten::" + name),
                                           std::nullopt);
}

c10::ClassTypePtr custom_class(const std::string& path) {
  return path.starts_with("torch.classes.") ? torch::getCustomClass("__torch__." + path) : nullptr;
}

SugaredPtr value_of(const std::string& path, GraphFunction& function, const SourceRange& place);

// A module of Python's that exists here only as a path.
class ModuleValue : public SugaredValue {
 public:
  explicit ModuleValue(std::string path) : path_(std::move(path)) {}

  std::string kind() const override { return "module " + path_; }

  SugaredPtr attr(const SourceRange& place, GraphFunction& function,
                  const std::string& field) override {
    return value_of(path_ + "." + field, function, place);
  }

 private:
  std::string path_;
};

bool is_module(const std::string& path) {
  for (const char* module : {"torch", "math", "torch.ops", "torch.classes", "torch.nn", "torch.jit",
                             "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft",
                             "torch.sparse", "torch.autograd"}) {
    if (path == module) return true;
  }
  for (const std::string parent : {"torch.ops.", "torch.classes."}) {
    if (path.starts_with(parent) && path.find('.', parent.size()) == std::string::npos) return true;
  }
  return false;
}

// What stands behind a whole path; nullptr when this is no place of ours.
SugaredPtr value_of(const std::string& path, GraphFunction& function, const SourceRange& place) {
  if (is_module(path)) return std::make_shared<ModuleValue>(path);
  const auto dot = path.rfind('.');
  if (dot == std::string::npos) return nullptr;
  const std::string module = path.substr(0, dot), name = path.substr(dot + 1);
  const auto constant = [&](const c10::IValue& value) -> SugaredPtr {
    return std::make_shared<torch::jit::SimpleValue>(
        function.graph()->insertConstant(value, place));
  };
  if (module == "torch") {
    if (const auto value = torch_constant(name)) return constant(*value);
    return aten_function(name);
  }
  if (module == "math") {
    if (const auto value = number_constant(name)) return constant(*value);
    return aten_function(name == "fabs" ? "abs" : name);
  }
  if (module.starts_with("torch.ops.")) {
    return std::make_shared<BuiltinFunction>(
        c10::Symbol::fromQualString(module.substr(10) + "::" + name), std::nullopt);
  }
  if (module.starts_with("torch.classes.")) {
    if (const auto type = custom_class(path)) return std::make_shared<torch::jit::ClassValue>(type);
    throw(ErrorReport(place) << "no class " << module.substr(14) << "." << name
                             << " is registered (torch::class_)");
  }
  if (path == "torch.jit.annotate") {
    return torch::jit::SpecialFormValue::create(c10::prim::annotate);
  }
  if (module == "torch.linalg") return aten_function("linalg_" + name);
  if (module == "torch.special") return aten_function("special_" + name);
  if (module == "torch.fft") return aten_function("fft_" + name);
  if (path == "torch.sparse.sampled_addmm") return aten_function("sparse_sampled_addmm");
  if (module == "torch.sparse") return aten_function("_sparse_" + name);
  if (module == "torch.nn.functional" || module == "torch.autograd") return aten_function(name);
  if (is_module(module)) throw(ErrorReport(place) << "unknown name " << path);
  return nullptr;
}

// An exception of Python's. The raised error tells its class, so that Python raises it again as
// what it was. Its message is as torch.jit.script makes it: one argument is the message, several
// are the text of their tuple.
class ExceptionClass : public torch::jit::ExceptionValue {
 public:
  explicit ExceptionClass(const std::string& name)
      : ExceptionValue(name), qualified_name_("builtins." + name) {}

  SugaredPtr call(const SourceRange& place, GraphFunction& caller,
                  at::ArrayRef<torch::jit::NamedValue> arguments,
                  at::ArrayRef<torch::jit::NamedValue> /*named*/, size_t /*count*/) override {
    auto& graph = *caller.graph();
    torch::jit::Value* message = nullptr;
    if (arguments.empty()) {
      message = torch::jit::insertConstant(graph, "", place);
    } else if (arguments.size() == 1) {
      message = arguments[0].value(graph);
    } else {
      std::vector<torch::jit::Value*> parts;
      for (const auto& argument : arguments)
        parts.push_back(argument.value(graph));
      message = graph.insertNode(graph.createTuple(parts))->output();
      message = graph.insert(c10::aten::str, {message}, {}, place);
    }
    return std::make_shared<torch::jit::ExceptionMessageValue>(
        message, torch::jit::insertConstant(graph, qualified_name_, place));
  }

 private:
  std::string qualified_name_;
};

class ProgramResolver : public torch::jit::Resolver {
 public:
  ProgramResolver(ImportedNames imported, std::shared_ptr<torch::jit::CompilationUnit> known,
                  const std::shared_ptr<torch::jit::CompilationUnit>& own)
      : imported_(std::move(imported)), known_(std::move(known)), own_(own) {}

  SugaredPtr resolveValue(const std::string& name, GraphFunction& function,
                          const SourceRange& place) override {
    if (known_) {
      if (auto* function = known_->find_function(c10::QualifiedName(name))) {
        return std::make_shared<torch::jit::FunctionValue>(function);
      }
    }
    if (const auto type = program_class(name)) {
      return std::make_shared<torch::jit::ClassValue>(type);
    }
    for (const char* exception :
         {"Exception", "RuntimeError", "ValueError", "TypeError", "IndexError", "KeyError",
          "LookupError", "ArithmeticError", "OverflowError", "ZeroDivisionError", "AssertionError",
          "NotImplementedError"}) {
      if (name == exception) return std::make_shared<ExceptionClass>(name);
    }
    return value_of(full_path(name), function, place);
  }

  c10::TypePtr resolveType(const std::string& name, const SourceRange&) override {
    const auto path = full_path(name);
    if (path == "torch.device") return c10::DeviceObjType::get();
    if (path == "torch.dtype" || path == "torch.layout" || path == "torch.memory_format") {
      return c10::IntType::get();
    }
    if (path == "torch.Tensor") return c10::TensorType::get();
    if (const auto type = program_class(name)) return type;
    return custom_class(path);
  }

 private:
  c10::ClassTypePtr program_class(const std::string& name) const {
    if (name.find('.') != std::string::npos) return nullptr;
    const auto own = own_.lock();
    auto type = own ? own->get_class(class_name(name)) : nullptr;
    return type || !known_ ? type : known_->get_class(class_name(name));
  }

  // The first part of a dotted name may be an imported one.
  std::string full_path(const std::string& name) const {
    const auto dot = name.find('.');
    const auto found = imported_.find(name.substr(0, dot));
    if (found == imported_.end()) return name;
    return dot == std::string::npos ? found->second : found->second + name.substr(dot);
  }

  ImportedNames imported_;
  std::shared_ptr<torch::jit::CompilationUnit> known_;
  std::weak_ptr<torch::jit::CompilationUnit> own_;
};

}  // namespace

c10::QualifiedName class_name(const std::string& name) {
  return c10::QualifiedName("__torch__." + name);
}

torch::jit::ResolverPtr make_resolver(ImportedNames imported,
                                      std::shared_ptr<torch::jit::CompilationUnit> known,
                                      const std::shared_ptr<torch::jit::CompilationUnit>& own) {
  return std::make_shared<ProgramResolver>(std::move(imported), std::move(known), own);
}

}  // namespace opsmith
