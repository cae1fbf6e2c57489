// A CUDA graph with a conditional node: its body runs while a kernel keeps the condition set.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void countDown(int* n, cudaGraphConditionalHandle handle) {
  if (--*n == 0) cudaGraphSetConditional(handle, 0);  // refused: cudaGraphSetConditional
}

#define MUST(x) if (cudaError_t e = (x)) { std::printf("%s\n", cudaGetErrorString(e)); return 1; }

int main() {
  int *n, start = 5;
  MUST(cudaMalloc(&n, sizeof(int)));
  MUST(cudaMemcpy(n, &start, sizeof start, cudaMemcpyHostToDevice));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphConditionalHandle handle;
  MUST(cudaGraphCreate(&graph, 0));
  MUST(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams loop = {};
  loop.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
  MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
#else
  MUST(cudaGraphAddNode(&node, graph, nullptr, 0, &loop));
#endif
  void* arguments[] = {&n, &handle};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)countDown;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  MUST(cudaGraphAddKernelNode(&node, loop.conditional.phGraph_out[0], nullptr, 0, &kernel));
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  MUST(cudaGraphLaunch(executable, 0));
  MUST(cudaMemcpy(&start, n, sizeof start, cudaMemcpyDeviceToHost));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaGraphDestroy(graph));
  MUST(cudaFree(n));
  if (start != 0) return 1;
  std::printf("conditional_graph: ok\n");
  return 0;
}
