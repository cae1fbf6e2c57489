// operator_addon.node: copied as NAME.node beside libNAME.so, it offers that library's operators to
// plain Node. One binary serves every library: it finds its own place, and the library by its own
// name.
//
//   const op = require('./my_op.node')
//   op.ops['my_op::f'](x, y)    synchronous; an operator with a bare name of its own: op.f(x, y)
//   op.schemas                  ["my_op::f(Tensor x, Tensor y) -> Tensor"]
#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
#include <napi.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <unordered_set>

#include "binding/guard.h"
#include "operator_addon/values.h"
#include "runtime/arguments.h"
#include "runtime/open_library.h"

namespace opsmith {
namespace {

std::filesystem::path own_path() {
  Dl_info info;
  // Any symbol of this file will do.
  static const char mark = 0;
  if (dladdr(&mark, &info) == 0)
    throw Failure(ErrorCode::internal, "the addon cannot find its own file");
  return std::filesystem::absolute(info.dli_fname);
}

std::vector<c10::OperatorHandle> load_operators() {
  const auto addon = own_path();
  const auto library = addon.parent_path() / ("lib" + addon.stem().string() + ".so");
  if (!std::filesystem::exists(library)) {
    throw Failure(ErrorCode::library_load, addon.filename().string() + " needs " +
                                               library.string() +
                                               ", which is missing: copy both files to the same "
                                               "folder.");
  }
  auto& dispatcher = c10::Dispatcher::singleton();
  const auto names_before = dispatcher.getAllOpNames();
  const std::unordered_set<c10::OperatorName> before(names_before.begin(), names_before.end());
  open_library(library.string());
  std::vector<c10::OperatorHandle> operators;
  for (const auto& name : dispatcher.getAllOpNames()) {
    if (before.count(name) != 0) continue;
    if (const auto op = dispatcher.findSchema(name)) operators.push_back(*op);
  }
  return operators;
}

// An operator that writes to an argument, `Tensor(a!) x`, wrote to our copy of it.
void write_back(const Napi::CallbackInfo& info, const c10::FunctionSchema& schema,
                const std::vector<Literal>& literals) {
  for (size_t i = 0; i < literals.size(); ++i) {
    const auto* alias = schema.arguments()[i].alias_info();
    const auto* tensor = std::get_if<at::Tensor>(&literals[i].value);
    if (alias != nullptr && alias->isWrite() && tensor != nullptr) copy_data(*tensor, info[i]);
  }
}

Napi::Value call(const Napi::CallbackInfo& info, const c10::OperatorHandle& op) {
  return guard(info, [&]() -> Napi::Value {
    std::vector<Literal> literals;
    for (size_t i = 0; i < info.Length(); ++i)
      literals.push_back(read_value(info[i]));
    auto stack = make_arguments(op.schema(), literals, nullptr);
    const Stage stage(ErrorCode::operator_check);
    op.callBoxed(stack);
    write_back(info, op.schema(), literals);
    if (stack.empty()) return info.Env().Undefined();
    if (stack.size() == 1) return write_value(info.Env(), stack.front());
    auto results = Napi::Array::New(info.Env(), stack.size());
    for (uint32_t i = 0; i < stack.size(); ++i) {
      results.Set(i, write_value(info.Env(), stack[i]));
    }
    return results;
  });
}

Napi::Object export_operators(Napi::Env env, Napi::Object exports) {
  std::vector<std::string> schemas;
  std::multiset<std::string> bare_names;
  // Once a process: a worker thread that requires the addon again gets the same operators.
  static const auto operators = load_operators();
  const auto bare = [](const c10::OperatorName& name) {
    return name.name.substr(name.name.find("::") + 2);
  };
  for (const auto& op : operators)
    bare_names.insert(bare(op.operator_name()));
  auto ops = Napi::Object::New(env);
  for (const auto& op : operators) {
    const auto& name = op.operator_name();
    const auto full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    const auto function = Napi::Function::New(
        env, [op](const Napi::CallbackInfo& info) { return call(info, op); }, full);
    ops.Set(full, function);
    // A bare name must mean one thing: the default overload, or the only operator of that name.
    const auto short_name = bare(name);
    const bool reserved = short_name == "ops" || short_name == "schemas";
    if (!reserved && (name.overload_name.empty() || bare_names.count(short_name) == 1)) {
      exports.Set(short_name, function);
    }
    std::ostringstream text;
    text << op.schema();
    schemas.push_back(text.str());
  }
  std::sort(schemas.begin(), schemas.end());
  auto list = Napi::Array::New(env, schemas.size());
  for (uint32_t i = 0; i < schemas.size(); ++i)
    list.Set(i, schemas[i]);
  exports.Set("ops", ops);
  exports.Set("schemas", list);
  return exports;
}

}  // namespace
}  // namespace opsmith

static Napi::Object initialise_addon(Napi::Env env, Napi::Object exports) {
  try {
    return opsmith::export_operators(env, exports);
  } catch (const Napi::Error&) {
    throw;
  } catch (...) {
    throw opsmith::to_error(env, opsmith::describe_current_exception());
  }
}

NODE_API_MODULE(operator_addon, initialise_addon)
