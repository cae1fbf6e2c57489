// TORCH_LIBRARY(of_tests, m)
