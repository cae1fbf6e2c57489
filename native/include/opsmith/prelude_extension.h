#pragma once

// Precompiled for sources that include torch/extension.h and need nothing that
// OPSMITH_LEAN_EXTENSION leaves out; to be compiled with that defined.
#ifndef OPSMITH_LEAN_EXTENSION
#error "prelude_extension.h is meant to be compiled with -DOPSMITH_LEAN_EXTENSION"
#endif
#include <torch/extension.h>
