#pragma once

// Stands in for cuBLASLt's header: see cublas_v2.h.

#include "cublas_v2.h"

struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;
