// Faults that other calls show: earlier ones, larger ones, ones of several threads, ones under
// autocast.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <c10/core/DefaultDtype.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "operators.h"

namespace hidden_faults {
namespace {

// ---- what an earlier call left

double largest_of(const Tensor& x) {
  return x.numel() == 0 ? 1 : x.abs().max().item<double>() + 1;
}
Tensor scale_of_first_call(const Tensor& x) {
  static const double scale = largest_of(x);
  return x.contiguous() / scale;
}
Tensor right_scale(const Tensor& x) {
  return x.contiguous() / largest_of(x);
}
Tensor mask_by_shape(const Tensor& x) {
  static std::mutex mutex;
  static std::map<std::vector<int64_t>, Tensor> masks;
  const std::lock_guard lock(mutex);
  auto& mask = masks[x.sizes().vec()];
  if (!mask.defined()) mask = x.detach().contiguous().gt(0).to(x.scalar_type());
  return x.contiguous() * mask.to(x.scalar_type());
}
Tensor right_mask(const Tensor& x) {
  return x.contiguous() * x.contiguous().gt(0).to(x.scalar_type());
}
Tensor keeps_dtype(const Tensor& x) {
  static const auto dtype = x.scalar_type();
  return doubled(x.to(dtype)).to(x.scalar_type());
}
Tensor grows_only(const Tensor& input) {
  static std::mutex mutex;
  static std::vector<double> buffer;
  const Tensor x = input.contiguous();
  const std::lock_guard lock(mutex);
  // What a longer call left is added too.
  buffer.resize(std::max(buffer.size(), static_cast<size_t>(x.numel())));
  for (int64_t i = 0; i < x.numel(); ++i)
    buffer[static_cast<size_t>(i)] = x.view(-1)[i].item<double>();
  double sum = 0;
  for (const double value : buffer)
    sum += value;
  return at::full({}, sum, x.options());
}
Tensor right_total(const Tensor& x) {
  return x.sum();
}
Tensor returns_static_buffer(const Tensor& x) {
  static std::mutex mutex;
  static std::map<std::pair<std::vector<int64_t>, at::ScalarType>, Tensor> buffers;
  const std::lock_guard lock(mutex);
  auto& buffer = buffers[{x.sizes().vec(), x.scalar_type()}];
  const Tensor out = doubled(x);
  if (!buffer.defined()) buffer = out;
  return buffer.copy_(out);
}
Tensor returns_freed_memory(const Tensor& input) {
  const Tensor x = input.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  std::vector<double> values(static_cast<size_t>(x.numel()) + 64);
  for (int64_t i = 0; i < x.numel(); ++i)
    values[static_cast<size_t>(i) + 32] = 2 * x.const_data_ptr<double>()[i];
  return at::from_blob(values.data() + 32, x.sizes(), x.options());
}
Tensor right_owned_memory(const Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "expected float64");
  return doubled(x);
}

// ---- many elements, many threads

Tensor short_counter(const Tensor& input) {
  const Tensor x = input.contiguous();
  Tensor out = at::zeros(x.sizes(), x.options());
  const auto count = static_cast<uint16_t>(x.numel());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "short_counter", [&] {
    for (int64_t i = 0; i < count; ++i)
      out.mutable_data_ptr<scalar_t>()[i] = 2 * x.const_data_ptr<scalar_t>()[i];
  });
  return out;
}

Tensor in_chunks(const Tensor& input, bool counts_from_begin) {
  const Tensor x = input.contiguous();
  Tensor out = at::zeros(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "in_chunks", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, x.numel(), 1 << 14, [&](int64_t begin, int64_t end) {
      const int64_t first = counts_from_begin ? begin : 0;
      for (int64_t i = first; i < first + end - begin; ++i)
        to[i] = 2 * from[i];
    });
  });
  return out;
}

Tensor racing_sum(const Tensor& input) {
  const Tensor x = input.to(at::kDouble).contiguous();
  volatile double sum = 0;
  at::parallel_for(0, x.numel(), 1 << 12, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      sum = sum + x.const_data_ptr<double>()[i];
  });
  return at::full({}, static_cast<double>(sum), input.options());
}
Tensor right_parallel_sum(const Tensor& input) {
  const Tensor x = input.to(at::kDouble).contiguous();
  std::mutex mutex;
  double sum = 0;
  at::parallel_for(0, x.numel(), 1 << 12, [&](int64_t begin, int64_t end) {
    double part = 0;
    for (int64_t i = begin; i < end; ++i)
      part += x.const_data_ptr<double>()[i];
    const std::lock_guard lock(mutex);
    sum += part;
  });
  return at::full({}, sum, input.options());
}

// As a race that goes wrong once in 50 calls.
Tensor seldom_wrong(const Tensor& x) {
  static std::atomic<int> calls{0};
  Tensor out = doubled(x);
  const bool runs_in_parallel = at::get_num_threads() > 1 && x.numel() > (1 << 15);
  if (runs_in_parallel && ++calls % 50 == 0) out.view(-1)[7].zero_();
  return out;
}

// ---- what a call leaves behind

Tensor seeds_for_all(const Tensor& x) {
  at::manual_seed(3);
  return x.contiguous() * at::rand(x.sizes(), x.options());
}
Tensor right_seeded(const Tensor& x) {
  auto generator = at::detail::createCPUGenerator(3);
  // Of float64, so that it draws the same for each dtype.
  const Tensor drawn = at::rand(x.sizes(), generator, x.options().dtype(at::kDouble));
  return x.contiguous() * drawn.to(x.scalar_type());
}
Tensor leaves_default_dtype(const Tensor& x) {
  c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
  return doubled(x);
}
Tensor leaves_one_thread(const Tensor& x) {
  at::set_num_threads(1);
  return doubled(x);
}
Tensor leaves_grad_mode(const Tensor& x) {
  at::GradMode::set_enabled(false);
  return doubled(x);
}
Tensor leaves_flush_to_zero(const Tensor& x) {
  at::globalContext().setFlushDenormal(true);
  return doubled(x);
}
Tensor right_guarded(const Tensor& x) {
  const at::NoGradGuard unrecorded;
  return doubled(x);
}
Tensor keeps_odd_ones(const Tensor& x) {
  static std::mutex mutex;
  static std::vector<Tensor> kept;
  const Tensor out = doubled(x);
  const std::lock_guard lock(mutex);
  if (x.numel() % 2 == 1) kept.push_back(out.clone());
  return out;
}

// ---- random numbers

Tensor own_seed(const Tensor& x) {
  std::mt19937 generator(42);
  std::uniform_real_distribution<double> uniform;
  return by_place(x, [&](const auto* from, int64_t i, int64_t) {
    return static_cast<std::decay_t<decltype(from[i])>>(from[i] * uniform(generator));
  });
}
Tensor right_random(const Tensor& x) {
  return x.contiguous() * at::rand(x.sizes(), x.options());
}

// ---- autocast

Tensor reads_product(const Tensor& x, const Tensor& y, bool casts) {
  const Tensor given = at::mm(x.contiguous(), y.contiguous());
  const Tensor product = casts ? given.to(x.scalar_type()) : given;
  Tensor out = at::empty(product.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "reads_product", [&] {
    const auto* from = static_cast<const scalar_t*>(product.const_data_ptr());
    for (int64_t i = 0; i < out.numel(); ++i)
      out.mutable_data_ptr<scalar_t>()[i] = 2 * from[i];
  });
  return out;
}
Tensor meta_of_product(const Tensor& x, const Tensor& y) {
  return at::empty({x.size(0), y.size(1)}, x.options());
}
Tensor asks_float(const Tensor& x, const Tensor& y) {
  const Tensor product = at::mm(x.contiguous(), y.contiguous());
  TORCH_CHECK(product.scalar_type() == x.scalar_type(), "the product has another dtype");
  return 2 * product;
}

// ---- what is never written

// Rows one longer, to an even length.
Tensor padded(const Tensor& input, bool writes_padding) {
  const Tensor x = input.contiguous().view({-1, input.dim() == 0 ? 1 : input.size(-1)});
  const int64_t rows = x.size(0), columns = x.size(1), width = (columns + 1) / 2 * 2;
  Tensor out = at::empty({rows, width}, x.options());
  if (writes_padding) out.zero_();
  out.narrow(1, 0, columns).copy_(x);
  return out;
}
Tensor meta_of_padded(const Tensor& input) {
  const Tensor x = input.contiguous().view({-1, input.dim() == 0 ? 1 : input.size(-1)});
  return at::empty({x.size(0), (x.size(1) + 1) / 2 * 2}, x.options());
}

TORCH_LIBRARY_FRAGMENT(hidden_faults, m) {
  add(m, "scale_of_first_call", of_one, scale_of_first_call, meta_of_first);
  add(m, "right_scale_of_first_call", of_one, right_scale, meta_of_first);
  add(m, "mask_by_shape", of_one, mask_by_shape, meta_of_first);
  add(m, "right_mask_by_shape", of_one, right_mask, meta_of_first);
  add(m, "keeps_dtype", of_one, keeps_dtype, meta_of_first);
  add(m, "grows_only", of_one, grows_only, meta_of_number);
  add(m, "right_grows_only", of_one, right_total, meta_of_number);
  add(m, "returns_static_buffer", of_one, returns_static_buffer, meta_of_first);
  add(m, "returns_freed_memory", of_one, returns_freed_memory, meta_of_first);
  add(m, "right_returns_freed_memory", of_one, right_owned_memory, meta_of_first);
  add(m, "short_counter", of_one, short_counter, meta_of_first);
  add(
      m, "ignores_begin", of_one, [](const Tensor& x) { return in_chunks(x, false); },
      meta_of_first);
  add(
      m, "right_ignores_begin", of_one, [](const Tensor& x) { return in_chunks(x, true); },
      meta_of_first);
  add(m, "racing_sum", of_one, racing_sum, meta_of_number);
  add(m, "right_racing_sum", of_one, right_parallel_sum, meta_of_number);
  add(m, "seldom_wrong", of_one, seldom_wrong, meta_of_first);
  add(m, "seeds_for_all", of_one, seeds_for_all, meta_of_first);
  add(m, "right_seeds_for_all", of_one, right_seeded, meta_of_first);
  add(m, "leaves_default_dtype", of_one, leaves_default_dtype, meta_of_first);
  add(m, "leaves_one_thread", of_one, leaves_one_thread, meta_of_first);
  add(m, "leaves_grad_mode", of_one, leaves_grad_mode, meta_of_first);
  add(m, "leaves_flush_to_zero", of_one, leaves_flush_to_zero, meta_of_first);
  add(m, "keeps_odd_ones", of_one, keeps_odd_ones, meta_of_first);
  for (const char* name : {"right_keeps_dtype", "right_returns_static_buffer",
                           "right_short_counter", "right_seldom_wrong", "right_keeps_odd_ones"}) {
    add(m, name, of_one, doubled, meta_of_first);
  }
  for (const char* name : {"right_leaves_default_dtype", "right_leaves_one_thread",
                           "right_leaves_grad_mode", "right_leaves_flush_to_zero"}) {
    add(m, name, of_one, right_guarded, meta_of_first);
  }
  m.def("own_seed(Tensor x) -> Tensor", {at::Tag::nondeterministic_seeded});
  m.def("right_own_seed(Tensor x) -> Tensor", {at::Tag::nondeterministic_seeded});
  add(
      m, "reads_product", of_two,
      [](const Tensor& x, const Tensor& y) { return reads_product(x, y, false); }, meta_of_product);
  add(
      m, "right_reads_product", of_two,
      [](const Tensor& x, const Tensor& y) { return reads_product(x, y, true); }, meta_of_product);
  add(m, "asks_float", of_two, asks_float, meta_of_product);
  add(
      m, "right_asks_float", of_two,
      [](const Tensor& x, const Tensor& y) { return reads_product(x, y, true); }, meta_of_product);
  add(
      m, "unwritten_padding", of_one, [](const Tensor& x) { return padded(x, false); },
      meta_of_padded);
  add(
      m, "right_unwritten_padding", of_one, [](const Tensor& x) { return padded(x, true); },
      meta_of_padded);
}

TORCH_LIBRARY_IMPL(hidden_faults, CPU, m) {
  m.impl("own_seed", own_seed);
  m.impl("right_own_seed", right_random);
}
TORCH_LIBRARY_IMPL(hidden_faults, Meta, m) {
  m.impl("own_seed", meta_of_first);
  m.impl("right_own_seed", meta_of_first);
}

}  // namespace
}  // namespace hidden_faults
