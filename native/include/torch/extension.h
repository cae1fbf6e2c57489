#pragma once

// Stands in for libtorch's header of the same name, which needs Python: the C++ front end, and
// PYBIND11_MODULE that registers with the dispatcher.
//
// With OPSMITH_LEAN_EXTENSION, torch::nn, torch::optim, torch::data, torch::jit and serialisation
// are left out: few operators use them, and they cost each compile 2 to 3 s even when precompiled.
#ifdef OPSMITH_LEAN_EXTENSION
#include <opsmith/prelude_lean.h>
#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/fft.h>
#include <torch/special.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>
#else
#include <torch/all.h>
#endif

#include <opsmith/pybind_module.h>
