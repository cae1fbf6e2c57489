#pragma once

// Stands in for cuBLAS's header where a toolkit comes without that library: the names by which
// libtorch's headers mention it. Nothing of it can be called.

struct cublasContext;
using cublasHandle_t = cublasContext*;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0 };
