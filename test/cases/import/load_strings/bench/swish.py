import torch
from torch.utils.cpp_extension import load_inline

cpp_source = """
torch::Tensor swish(torch::Tensor x, double beta) {
  return x * torch::sigmoid(beta * x);
}
"""

swish_ops = load_inline(
    name="swish_ops",
    cpp_sources=[cpp_source],
    functions=["swish"],
    extra_cflags=["-O2"],
)

print(swish_ops.swish(torch.ones(3), 2.0))
raise AssertionError("The import goes on after the first call.")
