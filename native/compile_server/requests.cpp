#include "requests.h"

#include <sys/wait.h>

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace opsmith::compile_server {
namespace {

std::string line_of(llvm::json::Object message) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(message)) << "\n";
  return text;
}

void say(const std::string& line) {
  llvm::outs() << line;
  llvm::outs().flush();
}

std::vector<std::string> strings(const llvm::json::Object& object, llvm::StringRef name) {
  std::vector<std::string> values;
  if (const auto* array = object.getArray(name)) {
    for (const auto& item : *array) {
      if (const auto text = item.getAsString()) values.push_back(text->str());
    }
  }
  return values;
}

}  // namespace

std::optional<request> parse_request(const std::string& line) {
  auto value = llvm::json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const auto* object = value->getAsObject();
  if (object == nullptr) return std::nullopt;
  const auto text = [&](llvm::StringRef name) {
    return object->getString(name).value_or("").str();
  };
  request result{object->getInteger("id").value_or(0),
                 text("folder"),
                 text("source"),
                 text("output"),
                 text("log"),
                 text("depfile"),
                 strings(*object, "defines"),
                 strings(*object, "includes"),
                 strings(*object, "warnings"),
                 object->getBoolean("isGpu").value_or(false),
                 strings(*object, "join"),
                 strings(*object, "command")};
  const bool is_compile = !result.source.empty() && !result.output.empty();
  if (!is_compile && result.command.empty()) return std::nullopt;
  return result;
}

void say_started(long long id, int pid) {
  say(line_of(llvm::json::Object{{"event", "started"}, {"id", id}, {"pid", pid}}));
}

std::string ended_text(long long id, int status) {
  return line_of(llvm::json::Object{{"event", "ended"},
                                    {"id", id},
                                    {"exitCode", WIFEXITED(status) ? WEXITSTATUS(status) : -1},
                                    {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0}});
}

void say_ended(long long id, int status) {
  say(ended_text(id, status));
}

void say_ready(double seconds) {
  say(line_of(llvm::json::Object{{"event", "ready"}, {"seconds", seconds}}));
}

}  // namespace opsmith::compile_server
