/* The suite's own helpers, for C, C++ and CUDA. */
#ifndef SUITE_COMMON_H_
#define SUITE_COMMON_H_
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __CUDACC__
#include "helper_suite.cuh"
#endif
#define BLOCK_SIZE 16
typedef struct { int rows, cols; float *data; } matrix_t;
#ifdef __cplusplus
extern "C" {
#endif
matrix_t *create_matrix(int rows, int cols, unsigned seed);
void free_matrix(matrix_t *m);
double dsecnd(void);
void run_on_device(const matrix_t *a, const matrix_t *b, matrix_t *c);
#ifdef __cplusplus
}
#endif
#endif
