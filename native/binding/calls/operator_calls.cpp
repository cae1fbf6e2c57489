#include "binding/call_fields.h"
#include "binding/calls.h"
#include "runtime/record.h"
#include "runtime/run.h"
#include "runtime/tensor_store.h"

namespace opsmith {

void fields(auto& visit, RunRequest& request) {
  call_fields(visit, request);
  visit("reference", request.reference);
  visit.within(request.tolerances);
}

void fields(auto& visit, PlainValue& value) {
  visit("kind", "value");
  visit("type", value.type);
  visit("text", value.text);
}

void fields(auto& visit, NamedValue& input) {
  visit("name", input.name);
  visit("value", input.value);
}

void fields(auto& visit, RunReport& report) {
  visit("op", report.op);
  visit("seconds", report.seconds);
  visit("inputs", report.inputs);
  visit("outputs", report.outputs);
  visit("comparisons", report.comparisons);
  visit("referenceError", report.reference_error);
}

void fields(auto& visit, RecordRequest& request) {
  visit("request", request.request);
  visit("path", request.path);
  visit("makeCall", request.make_call);
}

void fields(auto& visit, RecordedCall& recorded) {
  visit("results", recorded.results);
  visit("written", recorded.written);
}

void fields(auto& visit, PageRequest& request) {
  visit("handle", request.handle);
  visit("index", natural(request.index));
  visit("rowStart", natural(request.row_start));
  visit("rowCount", natural(request.row_count));
  visit("columnStart", natural(request.column_start));
  visit("columnCount", natural(request.column_count));
}

void fields(auto& visit, TensorPage& page) {
  visit("rows", page.rows);
  visit("columns", page.columns);
  visit("rowStart", page.row_start);
  visit("columnStart", page.column_start);
  visit("values", page.values);
  visit("text", page.text);
  visit("pageRows", page.page_rows);
  visit("pageColumns", page.page_columns);
}

void fields(auto& visit, HistogramRequest& request) {
  visit("handle", request.handle);
  visit("bins", request.bins);
}

void fields(auto& visit, Histogram& histogram) {
  visit("edges", histogram.edges);
  visit("counts", histogram.counts);
}

struct ReleaseRequest {
  std::vector<int64_t> handles;
};

void fields(auto& visit, ReleaseRequest& request) {
  visit("handles", request.handles);
}

struct ReleasedTensors {
  int64_t released = 0;
};

void fields(auto& visit, ReleasedTensors& answer) {
  visit("released", answer.released);
}

static const Calls operator_calls({
    {"operator.run", handle(run)},
    {"operator.record", handle(record_call)},
    {"tensor.page", handle(read_page)},
    {"tensor.histogram", handle(make_histogram)},
    {"tensor.release", handle([](const ReleaseRequest& request) {
       return ReleasedTensors{release_tensors(request.handles)};
     })},
});

}  // namespace opsmith
