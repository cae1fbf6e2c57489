// Operators that are right, and operators with one fault each that only a sanitizer sees, or that it
// explains better than the ordinary checks do.
#include <torch/library.h>
#include <ATen/ATen.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace {

at::Tensor doubled(const at::Tensor& x) {
  TORCH_CHECK(x.is_contiguous() && x.scalar_type() == at::kFloat, "expected contiguous float32");
  auto y = at::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i)
    to[i] = 2 * from[i];
  return y;
}

// Smooths each element with the next one, and takes one past the end for the last one's.
at::Tensor read_past(const at::Tensor& x) {
  TORCH_CHECK(x.is_contiguous() && x.scalar_type() == at::kFloat, "expected contiguous float32");
  auto y = at::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i)
    to[i] = from[i] + from[i + 1];
  return y;
}

at::Tensor write_past(const at::Tensor& x) {
  TORCH_CHECK(x.is_contiguous() && x.scalar_type() == at::kFloat, "expected contiguous float32");
  auto y = at::empty_like(x);
  float* to = y.data_ptr<float>();
  for (int64_t i = 0; i <= x.numel(); ++i)
    to[i] = 1;
  return y;
}

at::Tensor use_after_free(const at::Tensor& x) {
  const float* kept = nullptr;
  {
    const auto temporary = x.to(at::kFloat).mul(2);
    kept = temporary.data_ptr<float>();
  }
  if (x.numel() == 0) return x.clone();
  return at::full({1}, kept[0]);
}

at::Tensor stack_overrun(const at::Tensor& x) {
  float window[4] = {};
  const int64_t count = x.numel();
  volatile int64_t last = count;  // 4 where the input is small
  if (last > 4) last = 4;
  return at::full({1}, window[last]);
}

at::Tensor copies_too_much(const at::Tensor& x) {
  TORCH_CHECK(x.is_contiguous(), "expected a contiguous tensor");
  auto y = at::empty_like(x);
  std::memcpy(y.data_ptr(), x.data_ptr(), x.nbytes() + 8);
  return y;
}

at::Tensor frees_twice(const at::Tensor& x) {
  auto* buffer = new float[4];
  delete[] buffer;
  delete[] buffer;
  return x.clone();
}

int32_t next(int32_t value) {
  return value + 1;
}

at::Tensor signed_overflow(const at::Tensor& x) {
  return x + static_cast<double>(next(std::numeric_limits<int32_t>::max() - (x.dim() == 9)));
}

at::Tensor too_wide_shift(const at::Tensor& x) {
  const int bits = 30 + static_cast<int>(x.dim());
  return x + static_cast<double>(1 << bits << 2 >> bits);
}

at::Tensor misaligned(const at::Tensor& x) {
  std::vector<char> bytes(64);
  const auto* number = reinterpret_cast<const int64_t*>(bytes.data() + 1);
  return x + static_cast<double>(*number);
}

at::Tensor null_read(const at::Tensor& x) {
  const auto* nowhere = static_cast<const volatile float*>(nullptr);
  return at::full({1}, x.dim() == 9 ? 0 : nowhere[2]);
}

at::Tensor half(const at::Tensor& x) {
  return x * 0.5;
}

at::Tensor wrong_backward(const at::Tensor& gradient) {
  auto result = at::empty_like(gradient, at::MemoryFormat::Contiguous);
  const auto from = gradient.contiguous();
  TORCH_CHECK(from.scalar_type() == at::kFloat, "expected float32");
  for (int64_t i = 0; i < from.numel(); ++i)
    result.data_ptr<float>()[i] = from.data_ptr<float>()[i + 1] * 0.5f;
  return result;
}

}  // namespace

TORCH_LIBRARY(wrong_memory, m) {
  m.def("doubled(Tensor x) -> Tensor", &doubled);
  m.def("read_past(Tensor x) -> Tensor", &read_past);
  m.def("write_past(Tensor x) -> Tensor", &write_past);
  m.def("use_after_free(Tensor x) -> Tensor", &use_after_free);
  m.def("stack_overrun(Tensor x) -> Tensor", &stack_overrun);
  m.def("copies_too_much(Tensor x) -> Tensor", &copies_too_much);
  m.def("frees_twice(Tensor x) -> Tensor", &frees_twice);
  m.def("signed_overflow(Tensor x) -> Tensor", &signed_overflow);
  m.def("too_wide_shift(Tensor x) -> Tensor", &too_wide_shift);
  m.def("misaligned(Tensor x) -> Tensor", &misaligned);
  m.def("null_read(Tensor x) -> Tensor", &null_read);
  m.def("half(Tensor x) -> Tensor", &half);
  m.def("half_backward(Tensor gradient) -> Tensor", &wrong_backward);
}
