// Operators as extension repositories have them, each with one fault that was seen in such code;
// the one called right_… next to it has the same purpose without the fault.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// ---- detection

// The mean of each box (left, top, right, bottom, in pixels) of an image [channels, height, width].
Tensor box_means(const Tensor& given, const Tensor& boxes, bool is_contiguous) {
  const Tensor image = is_contiguous ? given.contiguous() : given;
  TORCH_CHECK(image.dim() == 3 && image.scalar_type() == at::kDouble, "image: float64 [C, H, W]");
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4 && boxes.scalar_type() == at::kDouble,
              "boxes: float64 [N, 4]");
  const int64_t channels = image.size(0), height = image.size(1), width = image.size(2);
  const Tensor limits = boxes.contiguous();
  Tensor out = at::zeros({boxes.size(0), channels}, image.options());
  const auto* pixels = image.const_data_ptr<double>();
  for (int64_t n = 0; n < boxes.size(0); ++n) {
    const auto* box = limits.const_data_ptr<double>() + 4 * n;
    const auto clipped = [](double value, int64_t size) {
      return std::isnan(value)
                 ? int64_t{0}
                 : static_cast<int64_t>(std::clamp(value, 0.0, static_cast<double>(size)));
    };
    const int64_t left = clipped(box[0], width), top = clipped(box[1], height);
    const int64_t right = clipped(box[2], width), bottom = clipped(box[3], height);
    const int64_t count = std::max<int64_t>(right - left, 0) * std::max<int64_t>(bottom - top, 0);
    for (int64_t c = 0; c < channels && count > 0; ++c) {
      double sum = 0;
      for (int64_t y = top; y < bottom; ++y) {
        for (int64_t x = left; x < right; ++x)
          sum += pixels[(c * height + y) * width + x];
      }
      out.mutable_data_ptr<double>()[n * channels + c] = sum / static_cast<double>(count);
    }
  }
  return out;
}

// The order of scores from the largest on.
Tensor ranking(const Tensor& scores, bool copies) {
  TORCH_CHECK(scores.dim() == 1 && scores.scalar_type() == at::kDouble, "scores: float64 [N]");
  Tensor sorted = copies ? scores.clone(at::MemoryFormat::Contiguous) : scores.contiguous();
  std::vector<int64_t> order(static_cast<size_t>(scores.numel()));
  std::iota(order.begin(), order.end(), 0);
  auto* values = sorted.mutable_data_ptr<double>();
  for (int64_t n = 0; n < scores.numel(); ++n) {
    auto* best = std::max_element(values, values + scores.numel());
    order[static_cast<size_t>(n)] = best - values;
    *best = -INFINITY;  // done
  }
  return at::tensor(order, at::kLong);
}

// Bilinear: each row of `places` (y, x) is a point of an image [H, W].
Tensor sampled(const Tensor& given, const Tensor& places, bool clamps_next) {
  TORCH_CHECK(given.dim() == 2 && given.scalar_type() == at::kDouble, "image: float64 [H, W]");
  TORCH_CHECK(places.dim() == 2 && places.size(1) == 2 && places.scalar_type() == at::kDouble,
              "places: float64 [N, 2]");
  TORCH_CHECK(given.numel() > 0, "image: must not be empty");
  const Tensor image = given.contiguous(), at_rows = places.contiguous();
  const int64_t height = image.size(0), width = image.size(1);
  Tensor out = at::empty({places.size(0)}, image.options());
  const auto* pixels = image.const_data_ptr<double>();
  for (int64_t n = 0; n < places.size(0); ++n) {
    const auto* place = at_rows.const_data_ptr<double>() + 2 * n;
    if (std::isnan(place[0]) || std::isnan(place[1])) {
      out.mutable_data_ptr<double>()[n] = NAN;
      continue;
    }
    const double y = std::clamp(place[0], 0.0, static_cast<double>(height - 1));
    const double x = std::clamp(place[1], 0.0, static_cast<double>(width - 1));
    const auto top = static_cast<int64_t>(y), left = static_cast<int64_t>(x);
    const int64_t below = clamps_next ? std::min(top + 1, height - 1) : top + 1;
    const int64_t right = clamps_next ? std::min(left + 1, width - 1) : left + 1;
    const double dy = y - static_cast<double>(top), dx = x - static_cast<double>(left);
    out.mutable_data_ptr<double>()[n] =
        (1 - dy) * ((1 - dx) * pixels[top * width + left] + dx * pixels[top * width + right]) +
        dy * ((1 - dx) * pixels[below * width + left] + dx * pixels[below * width + right]);
  }
  return out;
}

// ---- optimizers and quantization

void sgd_step(Tensor& parameter, const Tensor& gradient, double rate, bool clips_in_place) {
  const Tensor step = clips_in_place ? Tensor(gradient).clamp_(-1, 1) : gradient.clamp(-1, 1);
  parameter.sub_(step * rate);
}

// Two numbers of 4 bits a byte.
Tensor packed(const Tensor& given, bool packs_last) {
  TORCH_CHECK(given.scalar_type() == at::kByte, "x: uint8");
  const Tensor x = given.contiguous().view(-1);
  Tensor out = at::empty({(x.numel() + 1) / 2}, x.options());
  const auto* from = x.const_data_ptr<uint8_t>();
  auto* to = out.mutable_data_ptr<uint8_t>();
  for (int64_t i = 0; i < x.numel() / 2; ++i)
    to[i] = static_cast<uint8_t>((from[2 * i] & 15) | (from[2 * i + 1] & 15) << 4);
  if (packs_last && x.numel() % 2 == 1) to[x.numel() / 2] = from[x.numel() - 1] & 15;
  return out;
}

// ---- graphs

// The sum of the rows of each segment; `index` is sorted.
Tensor segment_sums(const Tensor& given, const Tensor& index, int64_t segments,
                    bool begins_at_zero) {
  TORCH_CHECK(given.dim() == 2 && given.scalar_type() == at::kDouble, "x: float64 [N, F]");
  TORCH_CHECK(
      index.dim() == 1 && index.scalar_type() == at::kLong && index.size(0) == given.size(0),
      "index: int64 [N]");
  TORCH_CHECK(segments >= 0, "segments: not negative");
  const Tensor x = given.contiguous(), places = index.contiguous();
  const int64_t width = x.size(1);
  Tensor out = begins_at_zero ? at::zeros({segments, width}, x.options())
                              : at::empty({segments, width}, x.options());
  auto* to = out.mutable_data_ptr<double>();
  const auto* segment = places.const_data_ptr<int64_t>();
  for (int64_t n = 0; n < x.size(0); ++n) {
    TORCH_CHECK_INDEX(segment[n] >= 0 && segment[n] < segments, "index ", segment[n]);
    const bool is_first = n == 0 || segment[n - 1] != segment[n];
    for (int64_t f = 0; f < width; ++f) {
      const double value = x.const_data_ptr<double>()[n * width + f];
      auto& sum = to[segment[n] * width + f];
      sum = is_first && !begins_at_zero ? value : sum + value;
    }
  }
  return out;
}

struct ScatterMean : Function<ScatterMean> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& index, int64_t count,
                        bool divides) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const Tensor counts = at::bincount(index, {}, count).clamp_min(1).to(x.scalar_type());
    ctx->save_for_backward({index, counts});
    ctx->saved_data["divides"] = divides;
    return at::zeros({count, x.size(1)}, x.options()).index_add(0, index, x) / counts.unsqueeze(1);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const bool divides = ctx->saved_data["divides"].toBool();
    const Tensor shared = divides ? grads[0] / saved[1].unsqueeze(1) : grads[0];
    return {shared.index_select(0, saved[0]), Tensor(), Tensor(), Tensor()};
  }
};

// ---- convolution by Fourier transforms, circular

struct FourierConvolution : Function<FourierConvolution> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w, bool conjugates) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x, w});
    ctx->saved_data["conjugates"] = conjugates;
    return at::fft_irfft(at::fft_rfft(x) * at::fft_rfft(w), x.size(-1));
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const bool conjugates = ctx->saved_data["conjugates"].toBool();
    const Tensor grad = at::fft_rfft(grads[0]);
    const auto against = [&](const Tensor& other) {
      const Tensor spectrum = at::fft_rfft(other);
      return at::fft_irfft(grad * (conjugates ? spectrum.conj() : spectrum), other.size(-1));
    };
    return {against(saved[1]), against(saved[0]), Tensor()};
  }
};

// ---- saved tensors

// x y^T: backward reads a saved transposed view.
struct OuterRows : Function<OuterRows> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y,
                        bool is_contiguous) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x.t(), y.t()});
    ctx->saved_data["is_contiguous"] = is_contiguous;
    return x.mm(y.t());
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const bool is_contiguous = ctx->saved_data["is_contiguous"].toBool();
    const auto product = [&](const Tensor& grad, const Tensor& saved) {
      const Tensor turned = saved.contiguous();
      // As if the view's memory were in its own order.
      const Tensor other =
          is_contiguous ? turned.t()
                        : at::from_blob(saved.data_ptr(), saved.sizes(), saved.options()).t();
      return grad.mm(other);
    };
    const auto saved = ctx->get_saved_variables();
    return {product(grads[0], saved[1]), product(grads[0].t(), saved[0]), Tensor()};
  }
};

// ---- lists and optional tensors

std::vector<Tensor> heads(const Tensor& x, int64_t count, bool copies) {
  TORCH_CHECK(x.dim() == 2 && count > 0 && x.size(1) % count == 0,
              "columns must divide into heads");
  auto parts = x.chunk(count, 1);
  for (auto& part : parts)
    part = copies ? part.clone(at::MemoryFormat::Contiguous) : part;
  return parts;
}

struct ScaledRows : Function<ScaledRows> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const std::optional<Tensor>& weight,
                        bool asks_for_each) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x, weight.value_or(Tensor())});
    ctx->saved_data["asks_for_each"] = asks_for_each;
    return weight ? x * *weight : x.clone();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const bool asks_for_each = ctx->saved_data["asks_for_each"].toBool();
    if (!saved[1].defined()) return {grads[0], Tensor(), Tensor()};
    if (!asks_for_each && !ctx->needs_input_grad(0))
      return {Tensor(), at::zeros_like(saved[1]), Tensor()};
    return {grads[0] * saved[1], (grads[0] * saved[0]).sum_to_size(saved[1].sizes()), Tensor()};
  }
};

// ---- pooling

// The largest of each pair of columns.
struct PairPool : Function<PairPool> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool knows_rows) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    TORCH_CHECK(x.dim() == 2 && x.size(1) % 2 == 0, "x: [N, an even number]");
    auto [values, side] = x.reshape({x.size(0), x.size(1) / 2, 2}).max(2);
    ctx->save_for_backward({side});
    ctx->saved_data["knows_rows"] = knows_rows;
    return values;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor side = ctx->get_saved_variables()[0];
    const bool knows_rows = ctx->saved_data["knows_rows"].toBool();
    // Whoever takes every row's places from the first row is right for a batch of one.
    const Tensor places =
        knows_rows ? side : side.narrow(0, 0, std::min<int64_t>(1, side.size(0))).expand_as(side);
    Tensor gradient = at::zeros({side.size(0), side.size(1), 2}, grads[0].options());
    gradient.scatter_(2, places.unsqueeze(2), grads[0].unsqueeze(2));
    return {gradient.reshape({side.size(0), 2 * side.size(1)}), Tensor()};
  }
};

// ---- physics

// x plus a correction of some percent, for which tables and libraries of float are at hand.
Tensor corrected(const Tensor& given, bool in_double) {
  const Tensor x = given.contiguous();
  TORCH_CHECK(x.scalar_type() == at::kDouble, "x: float64");
  Tensor out = at::empty_like(x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double value = x.const_data_ptr<double>()[i];
    const double sine = in_double ? std::sin(value) : std::sin(static_cast<float>(value));
    out.mutable_data_ptr<double>()[i] = value + 0.02 * sine;
  }
  return out;
}

// x e^(-rate); the kernel's argument is a float.
Tensor damped(const Tensor& x, double rate, bool in_double) {
  return x * std::exp(-(in_double ? rate : static_cast<float>(rate)));
}

TORCH_LIBRARY(extension_faults, m) {
  for (const bool right : {false, true}) {
    const std::string prefix = right ? "right_" : "";
    const auto add = [&](const char* signature, auto function) {
      m.def((prefix + signature).c_str(), std::move(function));
    };
    // At CPU: libtorch resolves negated views before such a kernel is called.
    const auto add_cpu = [&](const char* signature, auto function) {
      m.def((prefix + signature).c_str());
      const std::string name(signature, std::string(signature).find('('));
      m.impl((prefix + name).c_str(), torch::dispatch(c10::DispatchKey::CPU, std::move(function)));
    };
    add_cpu("box_means(Tensor image, Tensor boxes) -> Tensor",
            [right](const Tensor& x, const Tensor& y) { return box_means(x, y, right); });
    add_cpu("ranking(Tensor scores) -> Tensor",
            [right](const Tensor& x) { return ranking(x, right); });
    add_cpu("sampled(Tensor image, Tensor places) -> Tensor",
            [right](const Tensor& x, const Tensor& y) { return sampled(x, y, right); });
    add_cpu("sgd_step(Tensor(a!) parameter, Tensor gradient, float rate) -> ()",
            [right](Tensor p, const Tensor& g, double rate) { sgd_step(p, g, rate, !right); });
    add_cpu("packed(Tensor x) -> Tensor", [right](const Tensor& x) { return packed(x, right); });
    add_cpu("segment_sums(Tensor x, Tensor index, int segments) -> Tensor",
            [right](const Tensor& x, const Tensor& i, int64_t n) {
              return segment_sums(x, i, n, right);
            });
    add("scatter_mean(Tensor x, Tensor index, int count) -> Tensor",
        [right](const Tensor& x, const Tensor& i, int64_t n) {
          return ScatterMean::apply(x, i, n, right);
        });
    add("fourier_convolution(Tensor x, Tensor w) -> Tensor",
        [right](const Tensor& x, const Tensor& w) {
          return FourierConvolution::apply(x, w, right);
        });
    add("outer_rows(Tensor x, Tensor y) -> Tensor",
        [right](const Tensor& x, const Tensor& y) { return OuterRows::apply(x, y, right); });
    add("heads(Tensor x, int count) -> Tensor[]",
        [right](const Tensor& x, int64_t count) { return heads(x, count, right); });
    add("scaled_rows(Tensor x, Tensor? weight=None) -> Tensor",
        [right](const Tensor& x, const std::optional<Tensor>& weight) {
          return ScaledRows::apply(x, weight, right);
        });
    add("pair_pool(Tensor x) -> Tensor",
        [right](const Tensor& x) { return PairPool::apply(x, right); });
    add_cpu("corrected(Tensor x) -> Tensor",
            [right](const Tensor& x) { return corrected(x, right); });
    add_cpu("damped(Tensor x, float rate) -> Tensor",
            [right](const Tensor& x, double rate) { return damped(x, rate, right); });
  }
}

}  // namespace
