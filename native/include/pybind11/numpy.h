#pragma once

#error \
    "pybind11/numpy.h needs Python, but operators run without Python: take and return torch::Tensor instead."
