// Sparse matrix times vector from ELLPACK, in column order and with padding, used by a few steps of Jacobi's solver.
#include <cuda_runtime.h>
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define MAX_NNZ 5

static cudaError_t lastStatus = cudaSuccess;
#define CU(call) assert((lastStatus = (call)) == cudaSuccess || (fprintf(stderr, "%s\n", cudaGetErrorString(lastStatus)), false))

// x' = x + (b - A x) / diagonal
__global__ void jacobi(int rows, const int *cols, const float *vals, const float *b, const float *x, float *xNew)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float dot = 0.0f, diagonal = 1.0f;
        for (int n = 0; n < MAX_NNZ; n++) {
            int col = cols[row + n * rows];
            if (col < 0)
                break;
            float val = vals[row + n * rows];
            dot += val * x[col];
            if (col == row)
                diagonal = val;
        }
        xNew[row] = x[row] + (b[row] - dot) / diagonal;
    }
}

int main()
{
    const int side = 19, rows = side * side, steps = 9;
    std::vector<int> cols(rows * MAX_NNZ, -1);
    std::vector<float> vals(rows * MAX_NNZ, 0), b(rows), x(rows, 0.f);
    for (int y = 0; y < side; y++)
        for (int xx = 0; xx < side; xx++) {
            int row = y * side + xx, n = 0;
            auto put = [&](int c, float v) { cols[row + n * rows] = c; vals[row + n * rows] = v; n++; };
            if (y > 0) put(row - side, -1);
            if (xx > 0) put(row - 1, -1);
            put(row, 4.5f);
            if (xx < side - 1) put(row + 1, -1);
            if (y < side - 1) put(row + side, -1);
            b[row] = (row * 11 % 7) - 3.f;
        }
    int *dCols;
    float *dVals, *dB, *dX, *dNew;
    CU(cudaMalloc(&dCols, cols.size() * sizeof(int)));
    CU(cudaMalloc(&dVals, vals.size() * sizeof(float)));
    CU(cudaMalloc(&dB, rows * sizeof(float)));
    CU(cudaMalloc(&dX, rows * sizeof(float)));
    CU(cudaMalloc(&dNew, rows * sizeof(float)));
    CU(cudaMemcpy(dCols, cols.data(), cols.size() * sizeof(int), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(dVals, vals.data(), vals.size() * sizeof(float), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(dB, b.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
    CU(cudaMemset(dX, 0, rows * sizeof(float)));
    for (int s = 0; s < steps; s++) {
        jacobi<<<(rows + 95) / 96, 96>>>(rows, dCols, dVals, dB, dX, dNew);
        CU(cudaGetLastError());
        float *t = dX; dX = dNew; dNew = t;
    }
    CU(cudaMemcpy(x.data(), dX, rows * sizeof(float), cudaMemcpyDeviceToHost));
    CU(cudaFree(dCols)); CU(cudaFree(dVals)); CU(cudaFree(dB)); CU(cudaFree(dX)); CU(cudaFree(dNew));

    std::vector<double> want(rows), next(rows);
    for (int s = 0; s < steps; s++) {
        for (int row = 0; row < rows; row++) {
            double dot = 0;
            for (int n = 0; n < MAX_NNZ && cols[row + n * rows] >= 0; n++) dot += vals[row + n * rows] * want[cols[row + n * rows]];
            next[row] = want[row] + (b[row] - dot) / 4.5;
        }
        want.swap(next);
    }
    for (int row = 0; row < rows; row++)
        if (!(fabs(x[row] - want[row]) <= 1e-5)) {
            printf("spmv_ell: row %d: expected %g, got %g\n", row, want[row], x[row]);
            return 1;
        }
    printf("spmv_ell: ok\n");
    return 0;
}
