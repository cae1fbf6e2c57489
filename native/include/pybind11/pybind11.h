#pragma once

// Stands in for pybind11's header of the same name, which needs Python.
#include <opsmith/pybind_module.h>
