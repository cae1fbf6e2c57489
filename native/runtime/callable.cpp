#include "runtime/callable.h"

#include "runtime/failure.h"
#include "runtime/registry.h"

namespace opsmith {

using Stack = std::vector<c10::IValue>;

Callable find_callable(const std::string& entry, const std::optional<ProgramSource>& source) {
  if (entry.find("::") != std::string::npos) {
    const auto op = find_operator(entry);
    const auto& name = op.operator_name();
    return {name.overload_name.empty() ? name.name : name.name + "." + name.overload_name,
            op.schema(), [op](Stack& stack) { op.callBoxed(stack); }, nullptr, nullptr};
  }
  if (!source) {
    throw Failure(
        ErrorCode::operator_unknown, "There is no operator " + entry,
        "Write an operator as namespace::name. A name without a namespace is a function of the "
        "program, but this project has no program.");
  }
  const Stage stage(ErrorCode::program_compile);
  const auto program = compile_program(*source);
  if (const auto* schema = program->schema(entry)) {
    return {entry, *schema, [program, entry](Stack& stack) { program->call(entry, stack); },
            program->function(entry), program};
  }
  std::string names;
  for (const auto& function : program->functions()) {
    names += (names.empty() ? "" : ", ") + function.name;
  }
  throw Failure(ErrorCode::operator_unknown, program->file() + " has no function " + entry,
                names.empty() ? "" : "Its functions are " + names + ".");
}

}  // namespace opsmith
