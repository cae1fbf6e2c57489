#include <cmath>

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

/// x: any shape. Returns x * sigmoid(x) of that shape.
at::Tensor my_op_cpu(const at::Tensor& x) {
  const at::Tensor in = x.contiguous();
  at::Tensor y = at::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "my_op", [&] {
    const auto* from = in.const_data_ptr<scalar_t>();
    auto* to = y.mutable_data_ptr<scalar_t>();
    for (int64_t i = 0; i < in.numel(); ++i)
      to[i] = from[i] / (1 + std::exp(-from[i]));
  });
  return y;
}

/// The shape without values: what torch.compile and torch.export ask for.
at::Tensor my_op_meta(const at::Tensor& x) {
  return at::empty_like(x.contiguous());
}

class MyOp : public torch::autograd::Function<MyOp> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x) {
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("my_op::my_op", "")
                               .typed<at::Tensor(const at::Tensor&)>();
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({x});
    return op.call(x);
  }

  /// grad[0]: dL/dy. Returns dL/dx, made of PyTorch's operators: it can be differentiated again.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grad) {
    const at::Tensor x = ctx->get_saved_variables()[0];
    const at::Tensor s = at::sigmoid(x);
    return {grad[0] * s * (1 + x * (1 - s))};
  }
};

at::Tensor my_op_autograd(const at::Tensor& x) {
  return MyOp::apply(x);
}

TORCH_LIBRARY(my_op, m) {
  m.def("my_op(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(my_op, CPU, m) {
  m.impl("my_op", &my_op_cpu);
}
TORCH_LIBRARY_IMPL(my_op, Meta, m) {
  m.impl("my_op", &my_op_meta);
}
TORCH_LIBRARY_IMPL(my_op, Autograd, m) {
  m.impl("my_op", &my_op_autograd);
}

}  // namespace
