// Compiles a kernel from a string at run time. Build: nvcc -lnvrtc -lcuda
#include <cuda.h>
#include <nvrtc.h>  // refused: nvrtc.h
#include <cstdio>
#include <string>

static const char* kSource = R"(
extern "C" __global__ void twice(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2.0f;
})";

int main() {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, kSource, "twice.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return 1;
  if (nvrtcCompileProgram(program, 0, nullptr) != NVRTC_SUCCESS) return 1;
  size_t size;
  if (nvrtcGetPTXSize(program, &size) != NVRTC_SUCCESS) return 1;
  std::string ptx(size, '\0');
  if (nvrtcGetPTX(program, ptx.data()) != NVRTC_SUCCESS || nvrtcDestroyProgram(&program) != NVRTC_SUCCESS) return 1;
  CUmodule module;
  CUfunction twice;
  if (cuInit(0) || cuModuleLoadData(&module, ptx.c_str()) || cuModuleGetFunction(&twice, module, "twice")) return 1;
  std::printf("runtime_compilation: ok\n");
  return 0;
}
