// TorchScript compiled from source text: a project's program, and reference expressions.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <string>
#include <vector>

namespace torch::jit {
struct Function;
}

namespace opsmith {

struct ProgramSource {
  std::string file;  // what messages name
  std::string source;
};

// contract/run.ts's programFunction.
struct ProgramFunction {
  std::string name;
  std::string schema;
  int64_t line = 0;
};

class Program {
 public:
  virtual ~Program() = default;
  virtual const std::vector<ProgramFunction>& functions() const = 0;
  virtual const std::string& file() const = 0;
  // Null when there is no such function; so in the next one. "Class.method" is known to both.
  virtual const c10::FunctionSchema* schema(const std::string& name) const = 0;
  virtual torch::jit::Function* function(const std::string& name) const = 0;
  // Takes the arguments off the stack and leaves the result there. The function must exist.
  virtual void call(const std::string& name, std::vector<c10::IValue>& stack) const = 0;
};
using ProgramPtr = std::shared_ptr<const Program>;

// The file may also be what Python reads: imports, `@torch.jit.script` and a doc string at the top
// level are skipped, and imported names are understood (`import torch.nn.functional as F`). Known
// are torch.ops.ns.op, torch.classes.ns.Name, torch's dtypes, layouts, memory formats and
// constants, math, and libtorch's functions by their names in torch, torch.nn.functional,
// torch.linalg, torch.special, torch.fft and torch.sparse. Classes are TorchScript's (no
// torch.nn.Module); their methods may use classes above them and libtorch, functions may use all
// classes. Compiled programs are kept, by file and source, until forget_programs(). Throws
// torch::jit::ErrorReport, which describe_current_exception() turns into program.compile.
ProgramPtr compile_program(const ProgramSource& program);

// `def reference(PARAMETERS): return (EXPRESSION)`, in which the functions of `program` (may be
// null) are known. Every parameter is a tensor. Throws as compile_program does.
ProgramPtr compile_reference(const std::string& expression,
                             const std::vector<std::string>& parameters, ProgramPtr program);

void forget_programs();

// libtorch keeps the inlined graph of a function from when it is first asked for. Asked while its
// optimiser is off, as our calls turn it, it would keep one that is not inlined, for passes too:
// call this before.
void prepare_function(torch::jit::Function& function);

}  // namespace opsmith
