// Every kind of parameter, result and annotation that pybind11 takes and the dispatcher can carry.

#include <pybind11/stl.h>
#include <torch/extension.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace pybind11::literals;

torch::Tensor numbers(const torch::Tensor& x, int a, float b, size_t c, short d, bool e,
                      uint8_t f) {
  return x * (a + b + static_cast<double>(c) + d + (e ? 100 : 0) + f);
}

torch::Tensor texts(torch::Tensor x, const char* mode, const std::string& suffix,
                    std::string_view tail) {
  return x * static_cast<double>(std::string(mode).size() + suffix.size() + tail.size());
}

torch::Tensor lists(at::TensorList xs, const std::vector<int>& ints, std::vector<float> floats,
                    at::IntArrayRef sizes, std::array<int, 2> pair, std::vector<bool> flags,
                    std::vector<std::vector<int64_t>> nested) {
  double sum = pair[0] * pair[1];
  for (int i : ints)
    sum += i;
  for (float f : floats)
    sum += f;
  for (int64_t s : sizes)
    sum += static_cast<double>(s);
  for (bool flag : flags)
    sum += flag ? 1000 : 0;
  for (const auto& row : nested)
    sum += static_cast<double>(row.size());
  return torch::stack(xs).sum(0) + sum;
}

torch::Tensor optionals(const torch::Tensor& x, std::optional<torch::Tensor> y,
                        std::optional<int> n, std::optional<std::vector<float>> w,
                        at::OptionalIntArrayRef dims, torch::Tensor bias) {
  torch::Tensor z = y ? x + *y : x;
  if (n) z = z * *n;
  if (w) z = z + w->at(0);
  if (dims) z = z + static_cast<double>(dims->size());
  return bias.defined() ? z + bias : z;
}

std::tuple<torch::Tensor, int, std::string> several(const torch::Tensor& x) {
  return {x + 1, static_cast<int>(x.size(0)), "text"};
}

std::pair<torch::Tensor, torch::Tensor> two(const torch::Tensor& x) {
  return {x, -x};
}

std::array<torch::Tensor, 2> both(const torch::Tensor& x) {
  return {x, 2 * x};
}

std::vector<int> sizes_of(const torch::Tensor& x) {
  return {x.sizes().begin(), x.sizes().end()};
}

std::map<std::string, torch::Tensor> parts(const torch::Tensor& x) {
  return {{"plus", x + 1}, {"minus", x - 1}};
}

torch::Tensor look_up(const std::unordered_map<std::string, double>& table, torch::Tensor x) {
  return x * table.at("factor");
}

void fill_with(torch::Tensor& x, double value) {
  x.fill_(value);
}

torch::Tensor make(std::vector<int64_t> shape, at::ScalarType dtype, at::Device device) {
  return torch::ones(shape, torch::dtype(dtype).device(device));
}

torch::Tensor scaled(const torch::Tensor& x, const at::Scalar& factor) {
  return x * factor;
}
torch::Tensor scaled(const torch::Tensor& x, const torch::Tensor& factor) {
  return x * factor;
}

torch::Tensor no_throw(const torch::Tensor& x) noexcept {
  return x;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "All kinds of arguments";
  m.def("numbers", &numbers, "Numbers of all sizes", py::arg("x"), py::arg("a") = 1,
        py::arg("b") = 2, py::arg("c") = 3, py::arg("d") = 4, py::arg("e") = true,
        py::arg("f") = 255);
  m.def("texts", &texts, "x"_a, "mode"_a = "mean", "suffix"_a = std::string("ab"), "tail"_a = "c");
  m.def("lists", &lists, py::arg("xs"), py::arg("ints") = std::vector<int>{1, 2},
        py::arg("floats") = std::vector<float>{0.5f}, py::arg("sizes") = std::vector<int64_t>{3},
        py::arg("pair") = std::array<int, 2>{2, 5}, py::arg("flags") = std::vector<bool>{},
        py::arg("nested") = std::vector<std::vector<int64_t>>{});
  m.def("optionals", &optionals, py::arg("x"), py::arg("y") = py::none(),
        py::arg("n") = std::nullopt, py::arg("w") = py::none(), py::arg("dims") = py::none(),
        py::arg("bias").none(true) = torch::Tensor());
  m.def("several", &several, py::call_guard<py::gil_scoped_release>());
  m.def("two", &two, py::return_value_policy::copy);
  m.def("both", torch::wrap_pybind_function(&both));
  m.def("sizes_of", &sizes_of, py::arg("x").noconvert());
  m.def("parts", &parts);
  m.def("look_up", &look_up);
  m.def("fill_with", &fill_with, py::arg("x"), py::kw_only(), py::arg("value"));
  m.def("make", &make, py::arg("shape"), py::arg("dtype") = torch::kFloat32,
        py::arg("device") = torch::kCPU);
  m.def("scaled", py::overload_cast<const torch::Tensor&, const at::Scalar&>(&scaled));
  m.def("scaled",
        static_cast<torch::Tensor (*)(const torch::Tensor&, const torch::Tensor&)>(&scaled));
  m.def("no_throw", &no_throw);
  m.def(
      "lambda", [](const torch::Tensor& x, double by) { return x + by; }, py::arg("x"),
      py::arg("by") = 1);
  const double kept = 7;
  m.def("closure", [kept](torch::Tensor&& x) { return x + kept; });
}
