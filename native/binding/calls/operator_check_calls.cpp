#include "binding/call_fields.h"
#include "binding/calls.h"
#include "runtime/operator_check/checks.h"
#include "runtime/operator_check/operator_check.h"
#include "runtime/operator_check/sanitized_calls.h"

namespace opsmith {

void fields(auto& visit, OperatorCheck& check) {
  visit("name", check.name);
  visit("title", check.title);
  visit("meaning", check.meaning);
  visit("onlyWhenAsked", check.only_when_asked);
  visit("sanitizer", check.sanitizer);
  visit("thorough", check.thorough);
}

void fields(auto& visit, SizeRange::Place& place) {
  visit("input", place.input);
  visit("dim", place.dim);
}

void fields(auto& visit, SizeRange& range) {
  visit("name", range.name);
  visit("min", range.min);
  visit("max", range.max);
  visit("given", range.given);
  visit("places", range.places);
}

void fields(auto& visit, NumberRange& range) {
  visit("name", range.name);
  visit("integer", range.integer);
  visit("min", range.min);
  visit("max", range.max);
  visit("given", range.given);
}

void fields(auto& visit, OperatorCheckRequest& request) {
  call_fields(visit, request);
  visit("fromSchema", or_default(request.from_schema));
  visit("sizes", or_default(request.sizes));
  visit("numbers", or_default(request.numbers));
  visit("dtypes", or_default(request.dtypes));
  visit("edges", or_default(request.edges));
  visit("checks", or_default(request.checks));
  visit("shapes", or_default(request.shapes));
  visit("seed", or_default(request.seed));
}

void fields(auto& visit, SanitizedRequest& request) {
  visit.within(request.request);
  visit("logs", request.logs);
}

void fields(auto& visit, OperatorCheckCase& made) {
  visit("args", made.args);
  visit("inputs", named(made.inputs));
}

void fields(auto& visit, CopyEnd& end) {
  visit("report", end.report);
}

void fields(auto& visit, KernelReport& report) {
  visit("report", report.report);
  visit("shownBy", report.shown_by);
  visit("shownCase", report.shown_case);
}

void fields(auto& visit, OperatorCheckFinding& finding) {
  visit("check", finding.check);
  visit("status", finding.status);
  visit("reason", finding.reason);
  visit("advice", finding.advice);
  visit("input", finding.input);
  visit("output", finding.output);
  visit("index", finding.index);
  visit("shownBy", finding.shown_by);
  visit("shownCase", finding.shown_case);
  visit("ended", finding.ended);
  visit("kernelReports", finding.kernel_reports);
}

void fields(auto& visit, OperatorCheckReport& report) {
  visit("op", report.op);
  visit("ok", report.ok);
  visit("seconds", report.seconds);
  visit("findings", report.findings);
  visit("generated", report.generated);
}

void fields(auto& visit, InputMemory& memory) {
  visit("name", memory.name);
  visit("begin", memory.begin);
  visit("bytes", memory.bytes);
}

void fields(auto& visit, SanitizedCall& call) {
  visit("given", call.given);
  visit("end", call.end);
  visit("process", call.process);
  visit("inputs", call.inputs);
}

void fields(auto& visit, SanitizedReport& report) {
  visit("op", report.op);
  visit("seconds", report.seconds);
  visit("calls", report.calls);
}

static const Calls operator_check_calls({
    {"operatorCheck.list", handle([] { return operator_checks(); })},
    {"operatorCheck.run", handle(run_operator_check)},
    {"operatorCheck.sanitized", handle(run_sanitized_calls)},
});

}  // namespace opsmith
