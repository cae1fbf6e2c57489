#pragma once

#error \
    "pybind11/embed.h needs Python, but operators run without Python: take and return torch::Tensor instead."
