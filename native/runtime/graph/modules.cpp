#include "runtime/graph/modules.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/custom_class_detail.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "runtime/failure.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;
namespace fs = std::filesystem;

// The Python-like sources of an archive: all that TorchScript runs.
std::string code_of(const std::string& path) {
  if (!fs::is_regular_file(path)) {
    throw Failure(ErrorCode::io, "There is no file " + path);
  }
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  if (std::string_view(magic, 2) != "PK") {
    throw Failure(ErrorCode::input_invalid,
                  fs::path(path).filename().string() +
                      " is not a TorchScript archive, because the file is not a zip file",
                  "Save the model with torch.jit.save, or with torch.export.save as .pt2.");
  }
  const Stage stage(ErrorCode::input_invalid, fs::path(path).filename().string());
  caffe2::serialize::PyTorchStreamReader reader(path);
  std::string code;
  for (const auto& name : reader.getAllRecords()) {
    if (name.rfind("code/", 0) != 0 || name.size() < 3 || name.substr(name.size() - 3) != ".py") {
      continue;
    }
    const auto [data, size] = reader.getRecord(name);
    code.append(static_cast<const char*>(data.get()), size);
    code += '\n';
  }
  if (code.empty() && !reader.hasRecord("constants.pkl")) {
    throw Failure(ErrorCode::input_invalid,
                  fs::path(path).filename().string() +
                      " contains data, but no code: torch.save wrote this file",
                  "A state_dict has no graph. Save the model itself with torch.jit.save, or with "
                  "torch.export.save as .pt2.");
  }
  return code;
}

bool has_operator(const std::string& name) {
  if (!jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)).empty()) return true;
  for (const auto& known : c10::Dispatcher::singleton().getAllOpNames()) {
    if (known.name == name) return true;
  }
  return false;
}

// Operators are called as `ops.my_ops.warp_perspective(…)`, classes are named as
// `__torch__.torch.classes.running.RunningStatistics`.
std::vector<std::string> missing_in(const std::string& code) {
  static const std::regex op(R"((?:^|[^\w.])ops\.(\w+)\.(\w+)\()");
  static const std::regex custom_class(R"(__torch__\.torch\.classes\.(\w+)\.(\w+))");
  std::set<std::string> missing;
  for (std::sregex_iterator it(code.begin(), code.end(), op), end; it != end; ++it) {
    const auto name = (*it)[1].str() + "::" + (*it)[2].str();
    if (missing.count(name) == 0 && !has_operator(name)) missing.insert(name);
  }
  for (std::sregex_iterator it(code.begin(), code.end(), custom_class), end; it != end; ++it) {
    if (!torch::getCustomClass(it->str()))
      missing.insert("torch.classes." + (*it)[1].str() + "." + (*it)[2].str());
  }
  return {missing.begin(), missing.end()};
}

}  // namespace

GraphArchive describe_archive(const std::string& path) {
  GraphArchive archive;
  archive.path = path;
  archive.missing = missing_in(code_of(path));
  if (!archive.missing.empty()) return archive;
  const auto root = load_archive(path);
  for (const auto& [name, module] : root.named_modules()) {
    for (const auto& method : module.get_methods()) {
      std::ostringstream schema;
      schema << method.function().getSchema();
      archive.entries.push_back(
          {name.empty() ? method.name() : name + "." + method.name(), schema.str()});
    }
  }
  std::stable_partition(archive.entries.begin(), archive.entries.end(),
                        [](const auto& entry) { return entry.name == "forward"; });
  return archive;
}

jit::Module load_archive(const std::string& path) {
  const auto missing = missing_in(code_of(path));
  if (!missing.empty()) {
    std::string names;
    for (const auto& name : missing)
      names += (names.empty() ? "" : ", ") + name;
    throw Failure(
        ErrorCode::operator_unknown,
        fs::path(path).filename().string() +
            " uses operators or classes that are not registered: " + names,
        "Open and build the project that registers them, then open the model in that project.");
  }
  const Stage stage(ErrorCode::input_invalid, fs::path(path).filename().string());
  return jit::load(path, c10::Device(c10::kCPU));
}

jit::Module find_submodule(const jit::Module& module, const std::string& path) {
  if (path.empty()) return module;
  auto found = module;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '.');) {
    if (!found.hasattr(part) || !found.attr(part).isModule()) {
      throw Failure(ErrorCode::operator_unknown, "The archive has no module " + path);
    }
    found = found.attr(part).toModule();
  }
  return found;
}

namespace {

jit::Module module_with_forward(jit::Module module, const std::shared_ptr<jit::Graph>& graph) {
  module.register_attribute("training", c10::BoolType::get(), true);
  auto* method = module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), "forward"), graph);
  module.type()->addMethod(method);
  return module;
}

}  // namespace

jit::Module module_of_function(jit::Graph& function) {
  jit::Module module("__torch__.PlaceholderModule");
  auto graph = function.copy();
  graph->insertInput(0, "self")->setType(module._ivalue()->type());
  return module_with_forward(module, graph);
}

jit::Module module_of_trace(jit::Graph& trace, const jit::Module& traced) {
  jit::Module module("__torch__.TracedMethod");
  module.register_module("module", traced);
  auto graph = trace.copy();
  auto* inner = graph->inputs()[0];
  auto* self = graph->insertInput(0, "self")->setType(module._ivalue()->type());
  auto* get = graph->createGetAttr(self, "module");
  graph->prependNode(get);
  inner->replaceAllUsesWith(get->output());
  graph->eraseInput(1);
  return module_with_forward(module, graph);
}

int64_t save_archive(const jit::Module& module, const std::string& path) {
  const auto folder = fs::path(path).parent_path();
  if (!fs::is_directory(folder)) {
    throw Failure(ErrorCode::io, "There is no folder " + folder.string());
  }
  const auto unfinished = path + "." + std::to_string(getpid()) + ".part";
  const Stage stage(ErrorCode::io, fs::path(path).filename().string());
  struct Remover {
    const std::string& file;
    ~Remover() {
      std::error_code ignored;
      fs::remove(file, ignored);
    }
  } remover{unfinished};
  {
    // By a stream: a file's own name, which is another each time, would be in the archive.
    std::ofstream stream(unfinished, std::ios::binary);
    module.save(stream);
    if (!stream.flush()) throw Failure(ErrorCode::io, "Could not write " + path);
  }
  const auto bytes = static_cast<int64_t>(fs::file_size(unfinished));
  fs::rename(unfinished, path);
  return bytes;
}

}  // namespace opsmith
