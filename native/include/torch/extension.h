#pragma once

// Stands in for libtorch's header of the same name, which needs Python: everything of the C++
// front end, and PYBIND11_MODULE that registers with the dispatcher.
#include <torch/all.h>

#include <opsmith/pybind_module.h>
