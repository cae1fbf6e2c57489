#include <sys/time.h>
#include <math.h>
#include "suite_common.h"
static unsigned next(unsigned *s) { *s = *s * 1103515245u + 12345u; return (*s >> 16) & 0x7fff; }
matrix_t *create_matrix(int rows, int cols, unsigned seed) {
  matrix_t *new = malloc(sizeof *new); /* C: a word of C++ as a name, no cast */
  int i;
  new->rows = rows; new->cols = cols; new->data = malloc(sizeof(float) * rows * cols);
  for (i = 0; i < rows * cols; i++) new->data[i] = next(&seed) / 32768.0f;
  return new;
}
void free_matrix(matrix_t *m) { free(m->data); free(m); }
double dsecnd(void) { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + t.tv_usec * 1e-6; }
