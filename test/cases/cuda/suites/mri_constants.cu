// Parboil-like: a table in constant memory that is refilled chunk by chunk, structs of arrays, __sinf, mean square error.
#include <stdio.h>
#include <stdlib.h>
#include <malloc.h>
#include <math.h>
#include <string.h>
#define PI   3.1415926535897932384626433832795029f
#define PIx2 6.2831853071795864769252867665590058f
#define KERNEL_Q_K_ELEMS_PER_GRID 64
#define KERNEL_Q_THREADS_PER_BLOCK 64
struct kValues { float Kx, Ky, Kz, PhiMag; };
__constant__ __device__ kValues ck[KERNEL_Q_K_ELEMS_PER_GRID];
static __constant__ int ck_used;
__global__ void ComputePhiMag_GPU(float *phiR, float *phiI, float *phiMag, int numK) {
  int indexK = blockIdx.x * 128 + threadIdx.x;
  if (indexK < numK) { float real = phiR[indexK], imag = phiI[indexK]; phiMag[indexK] = real * real + imag * imag; }
}
__global__ void ComputeQ_GPU(int numK, int kGlobalIndex, float *x, float *y, float *z, float *Qr, float *Qi) {
  float sX, sY, sZ, sQr, sQi;
  int xIndex = blockIdx.x * KERNEL_Q_THREADS_PER_BLOCK + threadIdx.x;
  sX = x[xIndex]; sY = y[xIndex]; sZ = z[xIndex]; sQr = Qr[xIndex]; sQi = Qi[xIndex];
  int kIndex = 0;
  if (numK % 2) {
    float expArg = PIx2 * (ck[0].Kx * sX + ck[0].Ky * sY + ck[0].Kz * sZ);
    sQr += ck[0].PhiMag * cos(expArg); sQi += ck[0].PhiMag * sin(expArg);
    kIndex++; kGlobalIndex++;
  }
  for (; (kIndex < ck_used) && (kGlobalIndex < numK); kIndex += 2, kGlobalIndex += 2) {
    float expArg = PIx2 * (ck[kIndex].Kx * sX + ck[kIndex].Ky * sY + ck[kIndex].Kz * sZ), s, c;
    sQr += ck[kIndex].PhiMag * cosf(expArg); sQi += ck[kIndex].PhiMag * sinf(expArg);
    int kIndex1 = kIndex + 1;
    expArg = PIx2 * (ck[kIndex1].Kx * sX + ck[kIndex1].Ky * sY + ck[kIndex1].Kz * sZ);
    __sincosf(expArg, &s, &c);
    sQr += ck[kIndex1].PhiMag * c; sQi += ck[kIndex1].PhiMag * s;
  }
  Qr[xIndex] = sQr; Qi[xIndex] = sQi;
}
int main(int argc, char *argv[]) {
  const int numK = 200, numX = 256; int bad = 0;
  float *h[5], *d[5], *phiR = (float *)memalign(16, numK * sizeof(float)), *phiI = (float *)malloc(numK * sizeof(float)), *dR, *dI, *dM, mag[numK];
  kValues k[numK];
  srand(7); srandom(7);
  for (int i = 0; i < numK; i++) { k[i].Kx = drand48() - .5; k[i].Ky = rand() / (RAND_MAX + 1.0) - .5; k[i].Kz = random() % 100 / 100.f; phiR[i] = i % 3; phiI[i] = (i % 5) * .1f; }
  for (int a = 0; a < 5; a++) { h[a] = (float *)malloc(numX * sizeof(float)); for (int i = 0; i < numX; i++) h[a][i] = a < 3 ? ((i * (a + 3)) % 50) * .02f : 0; cudaMalloc((void **)&d[a], numX * sizeof(float)); cudaMemcpy(d[a], h[a], numX * sizeof(float), cudaMemcpyHostToDevice); }
  cudaMalloc((void **)&dR, numK * sizeof(float)); cudaMalloc((void **)&dI, numK * sizeof(float)); cudaMalloc((void **)&dM, numK * sizeof(float));
  cudaMemcpy(dR, phiR, numK * sizeof(float), cudaMemcpyHostToDevice); cudaMemcpy(dI, phiI, numK * sizeof(float), cudaMemcpyHostToDevice);
  ComputePhiMag_GPU<<<(numK + 127) / 128, 128>>>(dR, dI, dM, numK);
  cudaMemcpy(mag, dM, sizeof mag, cudaMemcpyDeviceToHost);
  for (int i = 0; i < numK; i++) k[i].PhiMag = mag[i];
  int QGrids = numK / KERNEL_Q_K_ELEMS_PER_GRID; if (numK % KERNEL_Q_K_ELEMS_PER_GRID) QGrids++;
  dim3 DimQBlock(KERNEL_Q_THREADS_PER_BLOCK, 1), DimQGrid(numX / KERNEL_Q_THREADS_PER_BLOCK, 1);
  for (int g = 0; g < QGrids; g++) {
    int base = g * KERNEL_Q_K_ELEMS_PER_GRID, left = numK - base, used = left < KERNEL_Q_K_ELEMS_PER_GRID ? left : KERNEL_Q_K_ELEMS_PER_GRID;
    cudaMemcpyToSymbol(ck, k + base, used * sizeof(kValues), 0);
    cudaMemcpyToSymbol(ck_used, &used, sizeof(int));
    ComputeQ_GPU <<< DimQGrid, DimQBlock >>> (numK, base, d[0], d[1], d[2], d[3], d[4]);
  }
  cudaMemcpy(h[3], d[3], numX * sizeof(float), cudaMemcpyDeviceToHost); cudaMemcpy(h[4], d[4], numX * sizeof(float), cudaMemcpyDeviceToHost);
  double error = 0;
  for (int i = 0; i < numX; i++) {
    double r = 0, im = 0;
    for (int j = 0; j < numK; j++) { double e = 2 * M_PI * ((double)k[j].Kx * h[0][i] + (double)k[j].Ky * h[1][i] + (double)k[j].Kz * h[2][i]); r += mag[j] * cos(e); im += mag[j] * sin(e); }
    error += (r - h[3][i]) * (r - h[3][i]) + (im - h[4][i]) * (im - h[4][i]);
  }
  if (!(sqrt(error / numX) < 1e-3)) { printf("error: %g\n", sqrt(error / numX)); bad = 1; }
  for (int a = 0; a < 5; a++) { free(h[a]); cudaFree(d[a]); }
  free(phiR); free(phiI); cudaFree(dR); cudaFree(dI); cudaFree(dM);
  if (bad) return 1;
  printf("mri_constants: ok\n");
}
