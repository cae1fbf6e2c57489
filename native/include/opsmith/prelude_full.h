#pragma once

// Precompiled for sources that include torch/torch.h, torch/script.h or torch/extension.h.
#include <torch/all.h>
#include <torch/extension.h>
#include <torch/script.h>

#include <opsmith/prelude_lean.h>
