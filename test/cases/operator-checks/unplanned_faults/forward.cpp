// Operators whose forward has one fault each, in ways that nobody had planned for; the one called
// right_… next to it does the same without the fault.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <torch/library.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

namespace {

using at::Tensor;

void expect(const Tensor& x, int64_t dim) {
  TORCH_CHECK(x.scalar_type() == at::kDouble && x.dim() == dim, "x: float64 of ", dim,
              " dimensions");
}

// ---- layouts

// The step from row to row is taken for the number of columns.
Tensor row_sums(const Tensor& given, bool right) {
  expect(given, 2);
  const Tensor x = given.stride(-1) == 1 || given.size(1) < 2 ? given : given.contiguous();
  const int64_t step = x.stride(0), width = right ? x.size(1) : std::min(step, x.size(1));
  Tensor out = at::zeros({x.size(0)}, x.options());
  for (int64_t n = 0; n < x.size(0); ++n) {
    const auto* row = x.const_data_ptr<double>() + n * (right ? step : x.size(1));
    out.mutable_data_ptr<double>()[n] = std::accumulate(row, row + width, 0.0);
  }
  return out;
}

// A mask whose memory is taken for its elements.
Tensor masked_sum(const Tensor& given, const Tensor& mask, bool right) {
  expect(given, 2);
  TORCH_CHECK(mask.scalar_type() == at::kBool && mask.sizes() == given.sizes(), "mask: as x");
  const Tensor x = given.contiguous(), m = right ? mask.contiguous() : mask;
  const auto* keeps = static_cast<const bool*>(m.const_data_ptr());
  double sum = 0;
  for (int64_t i = 0; i < x.numel(); ++i)
    sum += keeps[i] ? x.const_data_ptr<double>()[i] : 0;
  return at::scalar_tensor(sum, x.options());
}

// Two at a time, where the memory begins at a multiple of 16; else the first one alone, and the
// others by an approximation.
Tensor halves(const Tensor& given, bool right) {
  const Tensor x = given.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "x: float64");
  Tensor out = at::empty_like(x);
  const auto* from = x.const_data_ptr<double>();
  const bool aligned = reinterpret_cast<uintptr_t>(from) % 16 == 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const bool skips = !right && !aligned && i == 0;
    out.mutable_data_ptr<double>()[i] = skips ? from[i] : from[i] / 2;
  }
  return out;
}

// Writes to `out` as if it were contiguous.
void add_into(const Tensor& x, const Tensor& y, Tensor out, bool right) {
  TORCH_CHECK(x.sizes() == y.sizes() && x.sizes() == out.sizes() && x.is_cpu(), "one shape");
  if (right) {
    out.copy_(x + y);
    return;
  }
  const Tensor sum = (x + y).contiguous().to(out.scalar_type());
  std::memcpy(out.mutable_data_ptr(), sum.const_data_ptr(), sum.nbytes());
}

// ---- memory

// A histogram in memory of new[], which nobody has set to zero.
Tensor ranks(const Tensor& given, bool right) {
  expect(given, 1);
  const Tensor x = given.contiguous();
  const auto count = static_cast<size_t>(x.numel());
  const std::unique_ptr<double[]> smaller(right ? new double[count + 1]() : new double[count + 1]);
  const auto* from = x.const_data_ptr<double>();
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j)
      smaller[i] += from[j] < from[i] ? 1 : 0;
  }
  Tensor out = at::empty_like(x);
  for (size_t i = 0; i < count; ++i)
    out.mutable_data_ptr<double>()[i] = smaller[i];
  return out;
}

// The mean of no numbers is never written.
Tensor row_means(const Tensor& given, bool right) {
  expect(given, 2);
  const Tensor x = given.contiguous();
  Tensor out = at::empty({x.size(0)}, x.options());
  for (int64_t n = 0; n < x.size(0); ++n) {
    const auto* row = x.const_data_ptr<double>() + n * x.size(1);
    double mean = 0;
    for (int64_t i = 0; i < x.size(1); ++i) {
      mean += row[i] / static_cast<double>(x.size(1));
      if (!right && i + 1 == x.size(1)) out.mutable_data_ptr<double>()[n] = mean;
    }
    if (right) out.mutable_data_ptr<double>()[n] = x.size(1) == 0 ? NAN : mean;
  }
  return out;
}

// ---- sizes

// Blocks of 4096; what is left after the last full one is forgotten, where there was one.
Tensor cubes(const Tensor& given, bool right) {
  const Tensor x = given.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "x: float64");
  constexpr int64_t block = 4096;
  Tensor out = at::zeros_like(x);
  const int64_t end = right || x.numel() < block ? x.numel() : x.numel() / block * block;
  for (int64_t i = 0; i < end; ++i) {
    const double value = x.const_data_ptr<double>()[i];
    out.mutable_data_ptr<double>()[i] = value * value * value;
  }
  return out;
}

// A number for each thread, of which there may be more than eight.
Tensor total(const Tensor& given, bool right) {
  const Tensor x = given.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "x: float64");
  const auto threads = static_cast<size_t>(right ? at::get_num_threads() : 2);
  std::vector<double> sums(threads, 0.0);
  at::parallel_for(0, x.numel(), 256, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i)
      sum += x.const_data_ptr<double>()[i];
    const auto thread = static_cast<size_t>(at::get_thread_num());
    sums[right ? thread : thread % threads] = right ? sums[thread] + sum : sum;
  });
  return at::scalar_tensor(std::accumulate(sums.begin(), sums.end(), 0.0), x.options());
}

// ---- state

// The result of the last input at an address, if that has its version.
Tensor remembered(const Tensor& x, bool right) {
  static std::map<const void*, Tensor> results;
  if (right) return x.exp();
  const auto key = x.const_data_ptr();
  const auto found = results.find(key);
  if (found != results.end() && found->second.sizes() == x.sizes()) return found->second.clone();
  if (results.size() > 8) results.clear();
  results[key] = x.exp();
  return results[key].clone();
}

// Opens a file, and closes it seldom.
Tensor with_table(const Tensor& x, bool right) {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  TORCH_CHECK(file >= 0, "no /dev/null");
  if (right) close(file);
  return x * 2;
}

// ---- Meta

int64_t windows(int64_t size, int64_t width, int64_t step) {
  TORCH_CHECK(size >= width && width > 0 && step > 0, "x is shorter than a window");
  return (size - width) / step + 1;
}

Tensor window_sums(const Tensor& given, int64_t width, int64_t step) {
  expect(given, 1);
  const int64_t count = windows(given.size(0), width, step);
  return given.unfold(0, width, step).narrow(0, 0, count).sum(1);
}

// Rounds up.
Tensor window_sums_meta(const Tensor& x, int64_t width, int64_t step, bool right) {
  const int64_t count =
      right ? windows(x.size(0), width, step) : (x.size(0) - width + step - 1) / step + 1;
  return at::empty({count}, x.options());
}

Tensor largest(const Tensor& x, int64_t dim, bool keepdim) {
  return x.amax(dim, keepdim);
}

Tensor largest_meta(const Tensor& x, int64_t dim, bool keepdim, bool right) {
  auto sizes = x.sizes().vec();
  dim = at::maybe_wrap_dim(dim, x.dim());
  if (keepdim && right)
    sizes[static_cast<size_t>(dim)] = 1;
  else
    sizes.erase(sizes.begin() + dim);
  return at::empty(sizes, x.options());
}

Tensor smallest(const Tensor& x, int64_t dim) {
  return x.amin(dim);
}

Tensor smallest_meta(const Tensor& x, int64_t dim, bool right) {
  auto sizes = x.sizes().vec();
  if (right) dim = at::maybe_wrap_dim(dim, x.dim());
  sizes.erase(sizes.begin() + std::max<int64_t>(dim, 0));
  return at::empty(sizes, x.options());
}

Tensor pooled(const Tensor& x, at::IntArrayRef window) {
  TORCH_CHECK(x.dim() == 3 && window.size() == 2 && window[0] > 0 && window[1] > 0, "x: [C, H, W]");
  return at::avg_pool2d(x, window);
}

Tensor pooled_meta(const Tensor& x, at::IntArrayRef window, bool right) {
  return at::empty({x.size(0), x.size(1) / window[0], x.size(2) / window[right ? 1 : 0]},
                   x.options());
}

TORCH_LIBRARY_FRAGMENT(unplanned_faults, m) {
  for (const bool right : {false, true}) {
    const std::string prefix = right ? "right_" : "";
    const auto name_of = [&](const char* signature) {
      return prefix + std::string(signature, std::string(signature).find('('));
    };
    const auto add = [&](const char* signature, auto function) {
      m.def((prefix + signature).c_str());
      m.impl(name_of(signature).c_str(),
             torch::dispatch(c10::DispatchKey::CPU, std::move(function)));
    };
    const auto add_meta = [&](const char* signature, auto function) {
      m.impl(name_of(signature).c_str(),
             torch::dispatch(c10::DispatchKey::Meta, std::move(function)));
    };
    const auto unary = [&](const char* signature, Tensor (*function)(const Tensor&, bool)) {
      add(signature, [function, right](const Tensor& x) { return function(x, right); });
    };
    unary("row_sums(Tensor x) -> Tensor", row_sums);
    unary("halves(Tensor x) -> Tensor", halves);
    unary("ranks(Tensor x) -> Tensor", ranks);
    unary("row_means(Tensor x) -> Tensor", row_means);
    unary("cubes(Tensor x) -> Tensor", cubes);
    unary("total(Tensor x) -> Tensor", total);
    unary("remembered(Tensor x) -> Tensor", remembered);
    unary("with_table(Tensor x) -> Tensor", with_table);
    add("masked_sum(Tensor x, Tensor mask) -> Tensor",
        [right](const Tensor& x, const Tensor& mask) { return masked_sum(x, mask, right); });
    add("add_into(Tensor x, Tensor y, Tensor(a!) out) -> ()",
        [right](const Tensor& x, const Tensor& y, Tensor out) { add_into(x, y, out, right); });
    add("window_sums(Tensor x, int width, int step) -> Tensor", window_sums);
    add_meta("window_sums(Tensor x, int width, int step) -> Tensor",
             [right](const Tensor& x, int64_t width, int64_t step) {
               return window_sums_meta(x, width, step, right);
             });
    add("largest(Tensor x, int dim, bool keepdim=False) -> Tensor", largest);
    add_meta("largest(Tensor x, int dim, bool keepdim=False) -> Tensor",
             [right](const Tensor& x, int64_t dim, bool keepdim) {
               return largest_meta(x, dim, keepdim, right);
             });
    add("smallest(Tensor x, int dim) -> Tensor", smallest);
    add_meta("smallest(Tensor x, int dim) -> Tensor",
             [right](const Tensor& x, int64_t dim) { return smallest_meta(x, dim, right); });
    add("pooled(Tensor x, int[] window) -> Tensor", pooled);
    add_meta("pooled(Tensor x, int[] window) -> Tensor",
             [right](const Tensor& x, at::IntArrayRef w) { return pooled_meta(x, w, right); });
  }
}

}  // namespace
