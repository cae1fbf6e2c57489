#include "binding/read_request.h"

#include <cmath>

#include "runtime/failure.h"

namespace opsmith {
namespace {

[[noreturn]] void invalid(const std::string& name, const char* expected) {
  throw Failure("request.invalid", name + ": expected " + expected);
}

Napi::Object read_object(const Napi::Value& value, const char* name) {
  if (!value.IsObject()) invalid(name, "an object");
  return value.As<Napi::Object>();
}

double read_number(const Napi::Value& value, const char* name) {
  if (!value.IsNumber()) invalid(name, "a number");
  return value.As<Napi::Number>().DoubleValue();
}

bool is_given(const Napi::Value& value) {
  return !value.IsUndefined() && !value.IsNull();
}

Literal read_literal(const Napi::Value& value) {
  if (value.IsNull() || value.IsUndefined()) return {};
  if (value.IsBoolean()) return {value.As<Napi::Boolean>().Value()};
  if (value.IsNumber()) return {value.As<Napi::Number>().DoubleValue()};
  if (value.IsString()) return {value.As<Napi::String>().Utf8Value()};
  if (!value.IsArray()) invalid("value", "a number, a string, a boolean, null or a list of them");
  const auto array = value.As<Napi::Array>();
  Literal::List list;
  list.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) {
    Napi::HandleScope scope(value.Env());
    list.push_back(read_literal(array.Get(i)));
  }
  return {std::move(list)};
}

std::optional<double> read_optional_number(const Napi::Object& object, const char* name) {
  const auto value = object.Get(name);
  return is_given(value) ? std::optional(read_number(value, name)) : std::nullopt;
}

void read_optional_string(const Napi::Object& object, const char* name, std::string& into) {
  const auto value = object.Get(name);
  if (is_given(value)) into = read_string(value, name);
}

template <class Visit>
void for_each_in(const Napi::Value& value, const char* name, Visit visit) {
  if (!is_given(value)) return;
  if (!value.IsArray()) invalid(name, "a list");
  const auto array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length(); ++i)
    visit(array.Get(i));
}

InputSpec read_input(std::string name, int64_t position, const Napi::Value& value) {
  const auto object = read_object(value, "inputs");
  InputSpec spec;
  spec.name = std::move(name);
  spec.position = position;
  if (const auto shape = object.Get("shape"); is_given(shape)) {
    spec.shape = read_integers(shape, "shape");
  }
  read_optional_string(object, "dtype", spec.dtype);
  read_optional_string(object, "device", spec.device);
  read_optional_string(object, "distribution", spec.distribution);
  if (const auto seed = object.Get("seed"); is_given(seed)) spec.seed = read_integer(seed, "seed");
  spec.requires_grad = object.Get("requires_grad").ToBoolean();
  spec.low = read_optional_number(object, "low");
  spec.high = read_optional_number(object, "high");
  spec.mean = read_optional_number(object, "mean");
  spec.std = read_optional_number(object, "std");
  if (const auto values = object.Get("values"); is_given(values))
    spec.values = read_literal(values);
  read_optional_string(object, "layout", spec.layout);
  spec.density = read_optional_number(object, "density");
  if (const auto block = object.Get("blocksize"); is_given(block)) {
    spec.blocksize = read_integers(block, "blocksize");
  }
  if (is_given(object.Get("indices"))) {
    auto& indices = spec.indices.emplace();
    for_each_in(object.Get("indices"), "indices", [&](const Napi::Value& along) {
      indices.push_back(read_integers(along, "indices"));
    });
  }
  return spec;
}

Literal::List read_arguments(const Napi::Value& value) {
  if (!is_given(value)) return {};
  auto literal = read_literal(value);
  auto* list = std::get_if<Literal::List>(&literal.value);
  if (list == nullptr) invalid("args", "a list");
  return std::move(*list);
}

std::vector<InputSpec> read_inputs(const Napi::Value& value) {
  std::vector<InputSpec> inputs;
  if (!is_given(value)) return inputs;
  const auto record = read_object(value, "inputs");
  const auto names = record.GetPropertyNames();
  for (uint32_t i = 0; i < names.Length(); ++i) {
    const auto name = names.Get(i).ToString().Utf8Value();
    inputs.push_back(read_input(name, i, record.Get(name)));
  }
  return inputs;
}

std::optional<ProgramSource> read_program(const Napi::Value& value) {
  if (!is_given(value)) return std::nullopt;
  const auto source = read_object(value, "program");
  return ProgramSource{read_string(source.Get("file"), "program.file"),
                       read_string(source.Get("source"), "program.source")};
}

SizeRange read_size_range(const Napi::Value& value) {
  const auto object = read_object(value, "sizes");
  SizeRange range;
  range.name = read_string(object.Get("name"), "sizes.name");
  range.min = read_integer(object.Get("min"), "sizes.min");
  range.max = read_integer(object.Get("max"), "sizes.max");
  range.given = read_integer(object.Get("given"), "sizes.given");
  for_each_in(object.Get("places"), "sizes.places", [&](const Napi::Value& item) {
    const auto place = read_object(item, "sizes.places");
    range.places.push_back({read_string(place.Get("input"), "sizes.places.input"),
                            read_integer(place.Get("dim"), "sizes.places.dim")});
  });
  return range;
}

NumberRange read_number_range(const Napi::Value& value) {
  const auto object = read_object(value, "numbers");
  NumberRange range;
  range.name = read_string(object.Get("name"), "numbers.name");
  range.integer = object.Get("integer").ToBoolean();
  range.min = read_number(object.Get("min"), "numbers.min");
  range.max = read_number(object.Get("max"), "numbers.max");
  range.given = read_number(object.Get("given"), "numbers.given");
  return range;
}

// What all requests for calls have; the object comes back, for the rest.
template <class Request>
Napi::Object read_call(const Napi::Value& value, Request& request) {
  const auto object = read_object(value, "request");
  request.op = read_string(object.Get("op"), "op");
  request.args = read_arguments(object.Get("args"));
  request.inputs = read_inputs(object.Get("inputs"));
  request.program = read_program(object.Get("program"));
  return object;
}

}  // namespace

std::string read_string(const Napi::Value& value, const char* name) {
  if (!value.IsString()) invalid(name, "a string");
  return value.As<Napi::String>().Utf8Value();
}

int64_t read_integer(const Napi::Value& value, const char* name) {
  const double number = read_number(value, name);
  if (number != std::trunc(number) || std::abs(number) > 9007199254740991.0) {
    invalid(name, "a whole number");
  }
  return static_cast<int64_t>(number);
}

std::vector<int64_t> read_integers(const Napi::Value& value, const char* name) {
  if (!value.IsArray()) invalid(name, "a list of whole numbers");
  const auto array = value.As<Napi::Array>();
  std::vector<int64_t> integers;
  for (uint32_t i = 0; i < array.Length(); ++i)
    integers.push_back(read_integer(array.Get(i), name));
  return integers;
}

RunRequest read_run_request(const Napi::Value& value) {
  RunRequest request;
  const auto object = read_call(value, request);
  if (const auto reference = object.Get("reference"); is_given(reference)) {
    request.reference = read_string(reference, "reference");
  }
  request.tolerances = read_tolerances(value);
  return request;
}

CaptureRequest read_capture_request(const Napi::Value& value) {
  const auto object = read_object(value, "request");
  CaptureRequest request;
  request.entry = read_string(object.Get("entry"), "entry");
  request.form = read_string(object.Get("form"), "form");
  request.args = read_arguments(object.Get("args"));
  request.inputs = read_inputs(object.Get("inputs"));
  for_each_in(object.Get("passes"), "passes", [&](const Napi::Value& pass) {
    request.passes.push_back(read_string(pass, "passes"));
  });
  for_each_in(object.Get("checks"), "checks",
              [&](const Napi::Value& args) { request.checks.push_back(read_arguments(args)); });
  request.program = read_program(object.Get("program"));
  read_optional_string(object, "file", request.file);
  return request;
}

GradcheckRequest read_gradcheck_request(const Napi::Value& value) {
  GradcheckRequest request;
  const auto object = read_call(value, request);
  request.second_order = object.Get("secondOrder").ToBoolean();
  if (const auto dtype = object.Get("dtype"); is_given(dtype)) {
    request.dtype = read_string(dtype, "dtype");
  }
  request.keep_jacobians = object.Get("keepJacobians").ToBoolean();
  const auto options = read_object(object.Get("options"), "options");
  auto& into = request.options;
  for (const auto& [name, number] : {std::pair{"eps", &into.eps},
                                     {"atol", &into.atol},
                                     {"rtol", &into.rtol},
                                     {"nondet_tol", &into.nondet_tol}}) {
    if (const auto given = read_optional_number(options, name)) *number = *given;
  }
  for (const auto& [name, flag] :
       {std::pair{"check_undefined_grad", &into.check_undefined_grad},
        {"check_grad_dtypes", &into.check_grad_dtypes},
        {"check_batched_grad", &into.check_batched_grad},
        {"check_batched_forward_grad", &into.check_batched_forward_grad},
        {"check_forward_ad", &into.check_forward_ad},
        {"check_backward_ad", &into.check_backward_ad},
        {"fast_mode", &into.fast_mode},
        {"check_fwd_over_rev", &into.check_fwd_over_rev},
        {"check_rev_over_rev", &into.check_rev_over_rev},
        {"gen_non_contig_grad_outputs", &into.gen_non_contig_grad_outputs},
        {"masked", &into.masked}}) {
    if (const auto given = options.Get(name); is_given(given)) *flag = given.ToBoolean();
  }
  return request;
}

OpcheckRequest read_opcheck_request(const Napi::Value& value) {
  OpcheckRequest request;
  const auto object = read_call(value, request);
  request.from_schema = object.Get("fromSchema").ToBoolean();
  for_each_in(object.Get("sizes"), "sizes",
              [&](const Napi::Value& size) { request.sizes.push_back(read_size_range(size)); });
  for_each_in(object.Get("numbers"), "numbers", [&](const Napi::Value& number) {
    request.numbers.push_back(read_number_range(number));
  });
  for_each_in(object.Get("dtypes"), "dtypes", [&](const Napi::Value& dtype) {
    request.dtypes.push_back(read_string(dtype, "dtypes"));
  });
  for_each_in(object.Get("checks"), "checks", [&](const Napi::Value& check) {
    request.checks.push_back(read_string(check, "checks"));
  });
  if (const auto shapes = object.Get("shapes"); is_given(shapes)) {
    request.shapes = read_integer(shapes, "shapes");
  }
  if (const auto seed = object.Get("seed"); is_given(seed)) {
    request.seed = read_integer(seed, "seed");
  }
  return request;
}

Tolerances read_tolerances(const Napi::Value& value) {
  const auto object = read_object(value, "tolerances");
  return {read_optional_number(object, "rtol"), read_optional_number(object, "atol")};
}

TimedCallRequest read_timed_call(const Napi::Value& value) {
  TimedCallRequest request;
  const auto object = read_call(value, request);
  if (const auto expression = object.Get("expression"); is_given(expression)) {
    request.expression = read_string(expression, "expression");
  }
  request.direction = read_string(object.Get("direction"), "direction");
  request.threads = read_integer(object.Get("threads"), "threads");
  request.cold = object.Get("cold").ToBoolean();
  request.fresh = object.Get("fresh").ToBoolean();
  return request;
}

ProfileRequest read_profile_request(const Napi::Value& value) {
  ProfileRequest request;
  const auto object = read_call(value, request);
  request.backward = object.Get("backward").ToBoolean();
  request.threads = read_integer(object.Get("threads"), "threads");
  return request;
}

PageRequest read_page_request(const Napi::Value& value) {
  const auto object = read_object(value, "request");
  PageRequest request;
  request.handle = read_integer(object.Get("handle"), "handle");
  request.index = read_integers(object.Get("index"), "index");
  const auto natural = [&](const char* name) {
    const int64_t number = read_integer(object.Get(name), name);
    if (number < 0) invalid(name, "no negative number");
    return number;
  };
  for (int64_t place : request.index) {
    if (place < 0) invalid("index", "no negative number");
  }
  request.row_start = natural("rowStart");
  request.row_count = natural("rowCount");
  request.column_start = natural("columnStart");
  request.column_count = natural("columnCount");
  return request;
}

}  // namespace opsmith
