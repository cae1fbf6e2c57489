#include "runtime/program/program.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <list>
#include <regex>
#include <sstream>

#include "runtime/program/chained_comparisons.h"
#include "runtime/program/script_modules.h"

namespace opsmith {
namespace {

namespace jit = torch::jit;

// Source with what only Python reads blanked out, every line still in its place.
struct ScriptText {
  std::string text;
  ImportedNames imported;
};

void read_import(const std::string& statement, ImportedNames& imported) {
  static const std::regex from("^from\\s+([\\w.]+)\\s+import\\s+\\(?([^)]*)");
  static const std::regex plain("^import\\s+(.*)");
  static const std::regex item("([\\w.]+)(\\s+as\\s+(\\w+))?");
  std::smatch match;
  std::string module, items;
  if (std::regex_search(statement, match, from)) {
    module = match[1].str() + ".";
    items = match[2];
  } else if (std::regex_search(statement, match, plain)) {
    items = match[1];
  }
  items = items.substr(0, items.find('#'));
  for (std::sregex_iterator it(items.begin(), items.end(), item), end; it != end; ++it) {
    const std::string name = (*it)[1], alias = (*it)[3];
    if (!alias.empty()) {
      imported[alias] = module + name;
    } else if (!module.empty()) {
      imported[name] = module + name;
    }
  }
}

// Whether a statement that begins on this line goes on on the next.
bool is_open(const std::string& statement) {
  const auto opened = std::count(statement.begin(), statement.end(), '(');
  const auto closed = std::count(statement.begin(), statement.end(), ')');
  return opened > closed || (!statement.empty() && statement.back() == '\\');
}

ScriptText read_python(const std::string& source) {
  static const std::regex skipped(
      "^(import\\s|from\\s+[\\w.]+\\s+import\\b|@torch\\.jit\\.script\\b|@script\\b)");
  ScriptText script;
  script.imported = {{"torch", "torch"}, {"math", "math"}};
  std::string statement;   // of an import, joined over its lines
  std::string doc_quotes;  // of an open doc string
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    bool blank = false;
    if (!doc_quotes.empty()) {
      blank = true;
      if (line.find(doc_quotes) != std::string::npos) doc_quotes.clear();
    } else if (!statement.empty()) {
      blank = true;
      if (statement.back() == '\\') statement.back() = ' ';
      statement += " " + line;
    } else if (line.rfind("\"\"\"", 0) == 0 || line.rfind("'''", 0) == 0) {
      blank = true;
      doc_quotes = line.substr(0, 3);
      if (line.find(doc_quotes, 3) != std::string::npos) doc_quotes.clear();
    } else if (std::regex_search(line, skipped)) {
      blank = true;
      statement = line;
    }
    if (!statement.empty() && !is_open(statement)) {
      read_import(statement, script.imported);
      statement.clear();
    }
    script.text += blank ? "\n" : line + "\n";
  }
  return script;
}

std::string signature_of(const jit::Function& function) {
  std::ostringstream text;
  text << function.getSchema();
  return text.str();
}

class CompiledProgram : public Program {
 public:
  CompiledProgram(const std::string& file, const ScriptText& script,
                  std::shared_ptr<jit::CompilationUnit> known)
      : file_(file), unit_(std::make_shared<jit::CompilationUnit>()), known_(known) {
    // The parser keeps views into the source, which copies the text.
    const auto source = std::make_shared<jit::Source>(script.text, file, 1);
    jit::Parser parser(source);
    const ChainedComparisons comparisons(source);
    std::vector<jit::Def> definitions;
    const auto resolver = make_resolver(script.imported, known, unit_);
    const auto skip_lines = [&] {
      while (parser.lexer().cur().kind == jit::TK_NEWLINE)
        parser.lexer().next();
    };
    skip_lines();
    while (parser.lexer().cur().kind != jit::TK_EOF) {
      if (parser.lexer().cur().kind == jit::TK_CLASS_DEF) {
        define_class(jit::ClassDef(comparisons.split(parser.parseClass())), resolver);
      } else {
        definitions.emplace_back(comparisons.split(parser.parseFunction(/*is_method=*/false)));
      }
      skip_lines();
    }
    const std::vector<jit::ResolverPtr> resolvers(definitions.size(), resolver);
    unit_->define(std::nullopt, {}, {}, definitions, resolvers, nullptr);
    for (const auto& definition : definitions) {
      const std::string name = definition.name().name();
      functions_.push_back({name, signature_of(unit_->get_function(c10::QualifiedName(name))),
                            line_of(definition.range())});
    }
  }

  const std::vector<ProgramFunction>& functions() const override { return functions_; }

  const std::string& file() const override { return file_; }

  const c10::FunctionSchema* schema(const std::string& name) const override {
    const auto* found = function(name);
    return found ? &found->getSchema() : nullptr;
  }

  jit::Function* function(const std::string& name) const override {
    if (auto* found = unit_->find_function(c10::QualifiedName(name))) return found;
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return nullptr;
    const auto type = unit_->get_class(class_name(name.substr(0, dot)));
    return type ? type->findMethod(name.substr(dot + 1)) : nullptr;
  }

  void call(const std::string& name, std::vector<c10::IValue>& stack) const override {
    auto& function = *this->function(name);
    prepare_function(function);
    // A call or two: profiling and optimising the graph first costs 0.2 s and gains nothing.
    jit::GraphOptimizerEnabledGuard without_optimiser(false);
    function.run(stack);
  }

  std::shared_ptr<jit::CompilationUnit> unit() const { return unit_; }
  const ImportedNames& imported() const { return imported_; }
  void keep_imported(ImportedNames imported) { imported_ = std::move(imported); }

 private:
  static int64_t line_of(const jit::SourceRange& range) {
    const auto place = range.file_line_col();
    return place ? static_cast<int64_t>(std::get<1>(*place)) : 0;
  }

  // As torch.jit.script does for a class: methods first know the type, then are compiled,
  // __init__ (which declares the attributes) before the others.
  void define_class(const jit::ClassDef& definition, const jit::ResolverPtr& resolver) {
    if (definition.superclass().present()) {
      throw(jit::ErrorReport(definition.range())
            << "a TorchScript class cannot have a base class; for an nn.Module, save the module "
               "with torch.jit.save and open the saved file");
    }
    const auto name = class_name(definition.name().name());
    const auto type = c10::ClassType::create(name, unit_, /*is_module=*/false);
    unit_->register_type(type);
    std::vector<jit::Def> methods;
    for (const auto& statement : definition.body()) {
      if (statement.kind() != jit::TK_DEF) {
        throw(jit::ErrorReport(statement.range()) << "a class can only contain methods");
      }
      methods.emplace_back(statement);
    }
    const std::vector<jit::ResolverPtr> resolvers(methods.size(), resolver);
    const jit::SimpleSelf self(type);
    unit_->define(name, {}, {}, methods, resolvers, &self);
  }

  std::string file_;
  std::shared_ptr<jit::CompilationUnit> unit_;
  std::shared_ptr<jit::CompilationUnit> known_;  // whose functions ours call
  std::vector<ProgramFunction> functions_;
  ImportedNames imported_;
};

struct Kept {
  ProgramSource source;
  std::shared_ptr<const CompiledProgram> program;
};
// Newest first. Only the call thread comes here.
std::list<Kept> kept;
constexpr size_t programs_kept = 8;

}  // namespace

ProgramPtr compile_program(const ProgramSource& program) {
  for (const auto& entry : kept) {
    if (entry.source.file == program.file && entry.source.source == program.source) {
      return entry.program;
    }
  }
  const auto script = read_python(program.source);
  const auto compiled = std::make_shared<CompiledProgram>(program.file, script, nullptr);
  compiled->keep_imported(script.imported);
  kept.push_front({program, compiled});
  if (kept.size() > programs_kept) kept.pop_back();
  return compiled;
}

ProgramPtr compile_reference(const std::string& expression,
                             const std::vector<std::string>& parameters, ProgramPtr program) {
  ScriptText script;
  script.imported = {{"torch", "torch"}, {"math", "math"}};
  std::shared_ptr<jit::CompilationUnit> known;
  if (program) {
    const auto& compiled = static_cast<const CompiledProgram&>(*program);
    script.imported = compiled.imported();
    known = compiled.unit();
  }
  std::string list;
  for (const auto& name : parameters)
    list += (list.empty() ? "" : ", ") + name;
  script.text = "def reference(" + list + "):\n    return (" + expression + ")\n";
  return std::make_shared<CompiledProgram>("reference", script, known);
}

void prepare_function(jit::Function& function) {
  jit::GraphOptimizerEnabledGuard with_optimiser(true);
  jit::toGraphFunction(function).optimized_graph();
}

void forget_programs() {
  kept.clear();
}

}  // namespace opsmith
