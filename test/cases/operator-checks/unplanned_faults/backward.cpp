// Operators whose backward has one fault each, in ways that nobody had planned for; the one called
// right_… next to it has the same forward, and the right backward.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cmath>
#include <vector>

namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;
using Below = at::AutoDispatchBelowADInplaceOrView;

// ---- what is done to grad_output

// Clips the gradient, as a training script does; of a derivative nothing is left of it.
struct Clipped : Function<Clipped> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    ctx->save_for_backward({x});
    ctx->saved_data["right"] = right;
    return x.sin();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor grad = grads[0] * ctx->get_saved_variables()[0].cos();
    return {ctx->saved_data["right"].toBool() ? grad : grad.clamp(-1, 1), Tensor()};
  }
};

// Leaves small gradients out, "to save work".
struct Sparse : Function<Sparse> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    ctx->save_for_backward({x});
    ctx->saved_data["right"] = right;
    return x.square();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor grad = 2 * grads[0] * ctx->get_saved_variables()[0];
    if (ctx->saved_data["right"].toBool()) return {grad, Tensor()};
    return {at::where(grads[0].abs() < 1e-4, at::zeros_like(grad), grad), Tensor()};
  }
};

// ---- arguments

// alpha is 1 by default.
struct Leaky : Function<Leaky> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double alpha, bool right) {
    const Below below;
    ctx->save_for_backward({x});
    ctx->saved_data["alpha"] = right ? alpha : 1.0;
    return alpha * x.square();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const double alpha = ctx->saved_data["alpha"].toDouble();
    return {2 * alpha * grads[0] * ctx->get_saved_variables()[0], Tensor(), Tensor()};
  }
};

// The p-norm of each row.
struct RowNorm : Function<RowNorm> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double p, bool right) {
    const Below below;
    const Tensor norm = x.abs().pow(p).sum(-1, true).pow(1 / p);
    ctx->save_for_backward({x, norm});
    ctx->saved_data["p"] = right ? p : 2.0;
    return norm.squeeze(-1);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const double p = ctx->saved_data["p"].toDouble();
    const Tensor part = saved[0].sgn() * saved[0].abs().pow(p - 1) / saved[1].pow(p - 1);
    return {at::where(saved[1] == 0, at::zeros_like(part), part) * grads[0].unsqueeze(-1), Tensor(),
            Tensor()};
  }
};

// Given without a bias; with one, its gradient is not summed over the rows but averaged.
struct Biased : Function<Biased> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w,
                        const std::optional<Tensor>& bias, bool right) {
    const Below below;
    ctx->save_for_backward({x, w});
    ctx->saved_data["has_bias"] = bias.has_value();
    ctx->saved_data["right"] = right;
    const Tensor product = x.mm(w);
    return bias ? product + *bias : product;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    Tensor bias;
    if (ctx->saved_data["has_bias"].toBool())
      bias = ctx->saved_data["right"].toBool() ? grads[0].sum(0) : grads[0].mean(0);
    return {grads[0].mm(saved[1].t()), saved[0].t().mm(grads[0]), bias, Tensor()};
  }
};

// Means over blocks of rows and columns. Backward takes blocks to be squares.
struct BlockMean : Function<BlockMean> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, at::IntArrayRef block, bool right) {
    const Below below;
    TORCH_CHECK(x.dim() == 2 && block.size() == 2 && block[0] > 0 && block[1] > 0,
                "x: [N, M], block: two sizes");
    TORCH_CHECK(x.size(0) % block[0] == 0 && x.size(1) % block[1] == 0, "blocks must divide x");
    ctx->saved_data["block"] = block.vec();
    ctx->saved_data["right"] = right;
    return x.reshape({x.size(0) / block[0], block[0], x.size(1) / block[1], block[1]})
        .mean(at::IntArrayRef{1, 3});
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto block = ctx->saved_data["block"].toIntVector();
    const int64_t count = block[0] * (ctx->saved_data["right"].toBool() ? block[1] : block[0]);
    return {(grads[0] / static_cast<double>(count))
                .repeat_interleave(block[0], 0)
                .repeat_interleave(block[1], 1),
            Tensor(), Tensor()};
  }
};

// A mean or a sum, as a string says.
struct Loss : Function<Loss> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y,
                        const std::string& reduction, bool right) {
    const Below below;
    TORCH_CHECK(reduction == "mean" || reduction == "sum", "reduction: mean or sum");
    ctx->save_for_backward({x, y});
    ctx->saved_data["divides"] = reduction == "mean" || !right;
    const Tensor squares = (x - y).square();
    return reduction == "mean" ? squares.mean() : squares.sum();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    Tensor grad = 2 * grads[0] * (saved[0] - saved[1]);
    if (ctx->saved_data["divides"].toBool()) grad = grad / static_cast<double>(grad.numel());
    return {grad, -grad, Tensor(), Tensor()};
  }
};

// ---- what forward leaves for backward

// Keeps the input of the last call in a variable, not in the context.
struct LastInput : Function<LastInput> {
  static Tensor& last() {
    static Tensor tensor;
    return tensor;
  }
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    ctx->save_for_backward({x});
    ctx->saved_data["right"] = right;
    if (!right) last() = x.detach();
    return x.sin();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->saved_data["right"].toBool() ? ctx->get_saved_variables()[0] : last();
    return {grads[0] * x.cos(), Tensor()};
  }
};

// Keeps the address of its input's memory.
struct SavedPointer : Function<SavedPointer> {
  static Tensor forward(AutogradContext* ctx, const Tensor& given, bool right) {
    const Below below;
    const Tensor x = given.contiguous();
    TORCH_CHECK(x.scalar_type() == at::kDouble, "x: float64");
    if (right) ctx->save_for_backward({x});
    ctx->saved_data["pointer"] = reinterpret_cast<int64_t>(x.const_data_ptr<double>());
    ctx->saved_data["right"] = right;
    return x.square();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor grad = grads[0].contiguous();
    const auto* x = ctx->saved_data["right"].toBool()
                        ? ctx->get_saved_variables()[0].const_data_ptr<double>()
                        : reinterpret_cast<const double*>(ctx->saved_data["pointer"].toInt());
    Tensor out = at::empty_like(grad);
    for (int64_t i = 0; i < grad.numel(); ++i)
      out.mutable_data_ptr<double>()[i] = 2 * x[i] * grad.const_data_ptr<double>()[i];
    return {out, Tensor()};
  }
};

// saved_data knows nothing of versions: what is written into the input later is not noticed.
struct Unversioned : Function<Unversioned> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    if (right)
      ctx->save_for_backward({x});
    else
      ctx->saved_data["x"] = x.detach();
    ctx->saved_data["right"] = right;
    return x.sin();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->saved_data["right"].toBool() ? ctx->get_saved_variables()[0]
                                                       : ctx->saved_data["x"].toTensor();
    return {grads[0] * x.cos(), Tensor()};
  }
};

// Each graph is kept for ever: backward puts what it read into a list.
struct Hoarder : Function<Hoarder> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    ctx->save_for_backward({x});
    ctx->saved_data["right"] = right;
    return x.exp();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    static std::vector<Tensor> all;
    const Tensor grad = grads[0] * ctx->get_saved_variables()[0].exp();
    if (!ctx->saved_data["right"].toBool()) all.push_back(grad.clone());
    return {grad, Tensor()};
  }
};

// ---- kernels of backward

// Differences of neighbours. Backward writes one element more than there are.
struct Steps : Function<Steps> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    TORCH_CHECK(x.dim() == 1 && x.size(0) > 1 && x.scalar_type() == at::kDouble,
                "x: float64 [N], N > 1");
    ctx->saved_data["right"] = right;
    return x.slice(0, 1) - x.slice(0, 0, -1);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor grad = grads[0].contiguous();
    Tensor out = at::zeros({grad.numel() + 1}, grad.options());
    auto* to = out.mutable_data_ptr<double>();
    const auto* from = grad.const_data_ptr<double>();
    for (int64_t i = 0; i < grad.numel(); ++i) {
      to[i] -= from[i];
      to[i + 1] += from[i];
    }
    if (!ctx->saved_data["right"].toBool()) to[grad.numel() + 1] = 0;
    return {out, Tensor()};
  }
};

// Sums of neighbours. Backward reads one element more.
struct Smoothed : Function<Smoothed> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    TORCH_CHECK(x.dim() == 1 && x.scalar_type() == at::kDouble, "x: float64 [N]");
    ctx->saved_data["right"] = right;
    Tensor out = x.clone();
    if (x.numel() > 1) out.slice(0, 1) += x.slice(0, 0, -1);
    return out;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor grad = grads[0].contiguous();
    const bool right = ctx->saved_data["right"].toBool();
    Tensor out = at::empty_like(grad);
    const auto* from = grad.const_data_ptr<double>();
    for (int64_t i = 0; i < grad.numel(); ++i) {
      const bool has_next = i + 1 < grad.numel();
      const double next = has_next || !right ? from[i + 1] : 0;
      out.mutable_data_ptr<double>()[i] = from[i] + (has_next ? next : 0 * next);
    }
    return {out, Tensor()};
  }
};

// Leaves one thread to all that follows.
struct OneThread : Function<OneThread> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool right) {
    const Below below;
    ctx->save_for_backward({x});
    ctx->saved_data["right"] = right;
    return x.tanh();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const Tensor grad = grads[0] * (1 - ctx->get_saved_variables()[0].tanh().square());
    if (ctx->saved_data["right"].toBool()) at::set_num_threads(before);
    return {grad, Tensor()};
  }
};

TORCH_LIBRARY_FRAGMENT(unplanned_faults, m) {
  for (const bool right : {false, true}) {
    const std::string prefix = right ? "right_" : "";
    const auto add = [&](const char* signature, auto function) {
      m.def((prefix + signature).c_str(), std::move(function));
    };
    add("clipped(Tensor x) -> Tensor",
        [right](const Tensor& x) { return Clipped::apply(x, right); });
    add("sparse(Tensor x) -> Tensor", [right](const Tensor& x) { return Sparse::apply(x, right); });
    add("leaky(Tensor x, float alpha=1.0) -> Tensor",
        [right](const Tensor& x, double alpha) { return Leaky::apply(x, alpha, right); });
    add("row_norm(Tensor x, float p=2.0) -> Tensor",
        [right](const Tensor& x, double p) { return RowNorm::apply(x, p, right); });
    add("biased(Tensor x, Tensor w, Tensor? bias=None) -> Tensor",
        [right](const Tensor& x, const Tensor& w, const std::optional<Tensor>& bias) {
          return Biased::apply(x, w, bias, right);
        });
    add("block_mean(Tensor x, int[] block) -> Tensor",
        [right](const Tensor& x, at::IntArrayRef b) { return BlockMean::apply(x, b, right); });
    add("loss(Tensor x, Tensor y, str reduction=\"mean\") -> Tensor",
        [right](const Tensor& x, const Tensor& y, const std::string& reduction) {
          return Loss::apply(x, y, reduction, right);
        });
    add("last_input(Tensor x) -> Tensor",
        [right](const Tensor& x) { return LastInput::apply(x, right); });
    add("saved_pointer(Tensor x) -> Tensor",
        [right](const Tensor& x) { return SavedPointer::apply(x, right); });
    add("unversioned(Tensor x) -> Tensor",
        [right](const Tensor& x) { return Unversioned::apply(x, right); });
    add("hoarder(Tensor x) -> Tensor",
        [right](const Tensor& x) { return Hoarder::apply(x, right); });
    add("steps(Tensor x) -> Tensor", [right](const Tensor& x) { return Steps::apply(x, right); });
    add("smoothed(Tensor x) -> Tensor",
        [right](const Tensor& x) { return Smoothed::apply(x, right); });
    add("one_thread(Tensor x) -> Tensor",
        [right](const Tensor& x) { return OneThread::apply(x, right); });
  }
}

}  // namespace
