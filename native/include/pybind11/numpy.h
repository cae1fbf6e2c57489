#pragma once

#error \
    "pybind11/numpy.h needs Python. Operators are called without it: take and return torch::Tensor instead."
