// Objects with virtual functions, made and deleted by kernels with new and delete: their tables of functions are the
// device's. A small expression tree is evaluated, and shapes are summed up through their base.
#include <cstdio>
#include <cstdlib>
#include <vector>

class Expression {
 public:
  __device__ virtual ~Expression() {}
  __device__ virtual float at(float x) const = 0;
  __device__ virtual int nodes() const { return 1; }
};

class Constant : public Expression {
 public:
  __device__ explicit Constant(float v) : v_(v) {}
  __device__ float at(float) const override { return v_; }

 private:
  float v_;
};

class Variable final : public Expression {
 public:
  __device__ float at(float x) const override { return x; }
};

__device__ int destroyed = 0;

template <char Op>
class Binary : public Expression {
 public:
  __device__ Binary(Expression *a, Expression *b) : a_(a), b_(b) {}
  __device__ ~Binary() override {
    delete a_;
    delete b_;
    atomicAdd(&destroyed, 1);
  }
  __device__ float at(float x) const override {
    if (Op == '+') return a_->at(x) + b_->at(x);
    if (Op == '*') return a_->at(x) * b_->at(x);
    return a_->at(x) - b_->at(x);
  }
  __device__ int nodes() const override { return 1 + a_->nodes() + b_->nodes(); }

 private:
  Expression *a_, *b_;
};

// polynomials of different degree: each thread its own
__global__ void build(Expression **trees, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Expression *e = new Constant(i % 5);
  for (int d = 0; d < i % 4; ++d) {
    e = new Binary<'*'>(e, new Variable);
    if (d % 2)
      e = new Binary<'+'>(e, new Constant(d + i));
    else
      e = new Binary<'-'>(e, new Constant(d));
  }
  trees[i] = e;
}

__global__ void evaluate(Expression *const *trees, float *values, int *nodes, int n, float x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] = trees[i]->at(x);
    nodes[i] = trees[i]->nodes();
  }
}

__global__ void destroy(Expression **trees, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete trees[i];
}

#define CUDA_ASSERT(x) if (cudaError_t s = (x)) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(s)); return 1; }

int main() {
  const int n = 150;
  Expression **trees;
  float *dValues;
  int *dNodes;
  CUDA_ASSERT(cudaMalloc(&trees, n * sizeof(Expression *)));
  CUDA_ASSERT(cudaMalloc(&dValues, n * sizeof(float)));
  CUDA_ASSERT(cudaMalloc(&dNodes, n * sizeof(int)));
  build<<<(n + 31) / 32, 32>>>(trees, n);
  CUDA_ASSERT(cudaGetLastError());
  std::vector<float> values(n);
  std::vector<int> nodes(n);
  for (float x : {0.5f, -2.f}) {
    evaluate<<<(n + 31) / 32, 32>>>(trees, dValues, dNodes, n, x);
    CUDA_ASSERT(cudaGetLastError());
    CUDA_ASSERT(cudaMemcpy(values.data(), dValues, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_ASSERT(cudaMemcpy(nodes.data(), dNodes, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
      float want = i % 5;
      for (int d = 0; d < i % 4; ++d) want = d % 2 ? want * x + (d + i) : want * x - d;
      int count = 1 + 4 * (i % 4);
      if (!(values[i] == want) || nodes[i] != count) {
        printf("virtual_functions: tree %d at %g: expected %g of %d nodes, got %g of %d\n", i, x, want, count, values[i], nodes[i]);
        return 1;
      }
    }
  }
  destroy<<<(n + 31) / 32, 32>>>(trees, n);
  CUDA_ASSERT(cudaGetLastError());
  int gone, want = 0;
  for (int i = 0; i < n; ++i) want += 2 * (i % 4);
  CUDA_ASSERT(cudaMemcpyFromSymbol(&gone, destroyed, sizeof gone));
  CUDA_ASSERT(cudaFree(trees));
  CUDA_ASSERT(cudaFree(dValues));
  CUDA_ASSERT(cudaFree(dNodes));
  if (gone != want) {
    printf("virtual_functions: destroyed: expected %d, got %d\n", want, gone);
    return 1;
  }
  printf("virtual_functions: ok\n");
  return 0;
}
