#pragma once

// Stands in for libtorch's header of the same name, which needs Python.
#include <torch/extension.h>
