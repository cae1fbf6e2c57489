#include <torch/extension.h>

torch::Tensor pool(torch::Tensor x) { return x.mean() * POOL_SCALE; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("pool", &pool); }
