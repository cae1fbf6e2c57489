// What every bound function shares, compiled once and linked beside the sources that were compiled
// with OPSMITH_SEPARATE_RUNTIME.

#ifndef OPSMITH_SEPARATE_RUNTIME
#define OPSMITH_SEPARATE_RUNTIME
#endif
#include <opsmith/bound_function_runtime.h>
