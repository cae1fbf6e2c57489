#pragma once

// Stands in for cuSPARSE's header: see cublas_v2.h.

struct cusparseContext;
using cusparseHandle_t = cusparseContext*;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS = 0 };
const char* cusparseGetErrorString(cusparseStatus_t status);
