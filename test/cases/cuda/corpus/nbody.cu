// Gravity between all pairs: float4 bodies go through shared memory a tile at a time; several leap-frog steps.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 64
#define SOFTENING 1e-2f

typedef struct { float4 *pos, *vel; } BodySystem;

#define GPU(call) if (cudaError_t err = call) { fprintf(stderr, "nbody: %s: %s\n", #call, cudaGetErrorString(err)); exit(1); }

__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj)
{
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
  float invDist = rsqrtf(distSqr);
  float s = bj.w * invDist * invDist * invDist;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

__global__ void bodyForce(float4 *p, float4 *v, float dt, int n)
{
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
  float3 acc = {0.0f, 0.0f, 0.0f};

  for (int tile = 0; tile < gridDim.x; tile++) {
    __shared__ float4 spos[BLOCK_SIZE];
    int j = tile * blockDim.x + threadIdx.x;
    spos[threadIdx.x] = j < n ? p[j] : make_float4(0, 0, 0, 0);  // no mass
    __syncthreads();
    #pragma unroll 8
    for (int k = 0; k < BLOCK_SIZE; k++)
      acc = bodyBodyInteraction(acc, me, spos[k]);
    __syncthreads();
  }
  if (i < n) {
    v[i].x += dt * acc.x;
    v[i].y += dt * acc.y;
    v[i].z += dt * acc.z;
  }
}

__global__ void integrate(BodySystem bodies, float dt, int n)
{
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    bodies.pos[i].x += bodies.vel[i].x * dt;
    bodies.pos[i].y += bodies.vel[i].y * dt;
    bodies.pos[i].z += bodies.vel[i].z * dt;
  }
}

int main(const int argc, const char **argv)
{
  int nBodies = 200;
  const float dt = 0.01f;
  const int nIters = 4;
  int bytes = 2 * nBodies * sizeof(float4);
  float *buf = (float *)malloc(bytes);
  BodySystem p = {(float4 *)buf, ((float4 *)buf) + nBodies};
  for (int i = 0; i < nBodies; i++) {
    p.pos[i] = make_float4(cosf(i) * (1 + i % 7), sinf(i * 2.f) * (1 + i % 5), cosf(i * 3.f), 0.01f * (1 + i % 3));
    p.vel[i] = make_float4(0.1f * sinf(i), 0, -0.1f * cosf(i), 0);
  }
  double (*x)[3] = (double (*)[3])malloc(nBodies * sizeof *x), (*v)[3] = (double (*)[3])malloc(nBodies * sizeof *v);
  for (int i = 0; i < nBodies; i++) {
    x[i][0] = p.pos[i].x; x[i][1] = p.pos[i].y; x[i][2] = p.pos[i].z;
    v[i][0] = p.vel[i].x; v[i][1] = p.vel[i].y; v[i][2] = p.vel[i].z;
  }

  float *d_buf;
  GPU(cudaMalloc(&d_buf, bytes));
  BodySystem d_p = {(float4 *)d_buf, ((float4 *)d_buf) + nBodies};
  int nBlocks = (nBodies + BLOCK_SIZE - 1) / BLOCK_SIZE;
  GPU(cudaMemcpy(d_buf, buf, bytes, cudaMemcpyHostToDevice));
  for (int iter = 1; iter <= nIters; iter++) {
    bodyForce<<<nBlocks, BLOCK_SIZE>>>(d_p.pos, d_p.vel, dt, nBodies);
    GPU(cudaGetLastError());
    integrate<<<nBlocks, BLOCK_SIZE>>>(d_p, dt, nBodies);
    GPU(cudaGetLastError());
  }
  GPU(cudaMemcpy(buf, d_buf, bytes, cudaMemcpyDeviceToHost));
  GPU(cudaFree(d_buf));

  for (int iter = 0; iter < nIters; iter++) {
    for (int i = 0; i < nBodies; i++) {
      double a[3] = {0, 0, 0};
      for (int j = 0; j < nBodies; j++) {
        double d[3], s = SOFTENING;
        for (int k = 0; k < 3; k++) d[k] = x[j][k] - x[i][k], s += d[k] * d[k];
        for (int k = 0; k < 3; k++) a[k] += d[k] * p.pos[j].w / (s * sqrt(s));
      }
      for (int k = 0; k < 3; k++) v[i][k] += dt * a[k];
    }
    for (int i = 0; i < nBodies; i++)
      for (int k = 0; k < 3; k++) x[i][k] += dt * v[i][k];
  }
  for (int i = 0; i < nBodies; i++) {
    float got[6] = {p.pos[i].x, p.pos[i].y, p.pos[i].z, p.vel[i].x, p.vel[i].y, p.vel[i].z};
    for (int k = 0; k < 6; k++) {
      double want = k < 3 ? x[i][k] : v[i][k - 3];
      if (!(fabs(got[k] - want) <= 1e-4)) {
        printf("nbody: body %d, component %d: expected %g, got %g\n", i, k, want, got[k]);
        return 1;
      }
    }
  }
  free(buf);
  free(x);
  free(v);
  printf("nbody: ok\n");
  return 0;
}
