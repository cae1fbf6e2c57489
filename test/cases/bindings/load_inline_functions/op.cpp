// As load_inline's sources are: no includes, no registration.

torch::Tensor sin_add(torch::Tensor x, torch::Tensor y) {
  return x.sin() + y.sin();
}

torch::Tensor scaled(const torch::Tensor& x, float factor, int times) {
  torch::Tensor y = x;
  for (int i = 0; i < times; ++i)
    y = y * factor;
  return y;
}

std::vector<torch::Tensor> halves(torch::Tensor x) {
  return x.chunk(2);
}
