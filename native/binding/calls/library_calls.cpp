#include "binding/call_fields.h"
#include "binding/calls.h"
#include "runtime/failure.h"
#include "runtime/library.h"
#include "runtime/program/program.h"
#include "runtime/registry.h"

namespace opsmith {

struct LoadRequest {
  std::string path;
};

void fields(auto& visit, LoadRequest& request) {
  visit("path", request.path);
}

struct DescribeRequest {
  std::string name, overload;
};

void fields(auto& visit, DescribeRequest& request) {
  visit("name", request.name);
  visit("overload", request.overload);
}

void fields(auto& visit, OperatorSummary& summary) {
  visit("name", summary.name);
  visit("overload", summary.overload);
  visit("schema", summary.schema);
}

void fields(auto& visit, ArgumentDetail& argument) {
  visit("name", argument.name);
  visit("type", argument.type);
  visit("default", argument.default_value);
  visit("kwargOnly", argument.kwarg_only);
  visit("alias", argument.alias);
}

void fields(auto& visit, RegisteredKernel& kernel) {
  visit("dispatchKey", kernel.dispatch_key);
  visit("file", kernel.file);
  visit("line", kernel.line);
}

void fields(auto& visit, OperatorDetail& detail) {
  visit.within(detail.summary);
  visit("arguments", detail.arguments);
  visit("returns", detail.returns);
  visit("doc", detail.doc);
  visit("kernels", detail.kernels);
}

void fields(auto& visit, ClassMethod& method) {
  visit("name", method.name);
  visit("schema", method.schema);
}

void fields(auto& visit, ClassDetail& detail) {
  visit("name", detail.name);
  visit("methods", detail.methods);
}

void fields(auto& visit, LoadReport& report) {
  visit("operators", report.operators);
  visit("classes", report.classes);
  visit("seconds", report.seconds);
}

void fields(auto& visit, UnloadReport& report) {
  visit("unloaded", report.unloaded);
  visit("reason", report.reason);
}

void fields(auto& visit, ProgramFunction& function) {
  visit("name", function.name);
  visit("schema", function.schema);
  visit("line", function.line);
}

static OperatorDetail describe_with_documentation(const DescribeRequest& request) {
  auto detail = describe_operator(request.name, request.overload);
  detail.doc = operator_documentation(request.name);
  return detail;
}

static std::vector<ProgramFunction> functions_of_program(const ProgramSource& source) {
  const Stage stage(ErrorCode::program_compile);
  return compile_program(source)->functions();
}

static const Calls library_calls({
    {"library.load", handle([](const LoadRequest& request) { return load_library(request.path); })},
    {"library.unload", handle(unload_library)},
    {"registry.list", handle(list_operators)},
    {"registry.describe", handle(describe_with_documentation)},
    {"program.functions", handle(functions_of_program)},
});

}  // namespace opsmith
