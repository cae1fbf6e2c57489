// What the virtual GPU does not have. Each is declared, so that its use is an error that names it
// at its line; what the preprocessor leaves out is no use.
#pragma once

#include "opsmith/gpu/device.h"

#define OPSMITH_UNSUPPORTED(what) \
  __attribute__((unavailable(what " not supported on the virtual GPU")))
#define OPSMITH_NO_FUNCTION(name, what)               \
  template <typename Result = int, typename... Given> \
  OPSMITH_UNSUPPORTED(what)                           \
  Result name(Given&&...);
#define OPSMITH_NO_TYPE(name, what) \
  struct OPSMITH_UNSUPPORTED(what) name {};

// Textures.
OPSMITH_NO_FUNCTION(tex1D, "textures are")
OPSMITH_NO_FUNCTION(tex1Dfetch, "textures are")
OPSMITH_NO_FUNCTION(tex2D, "textures are")
OPSMITH_NO_FUNCTION(tex3D, "textures are")
OPSMITH_NO_FUNCTION(texCubemap, "textures are")
OPSMITH_NO_FUNCTION(tex1DLod, "textures are")
OPSMITH_NO_FUNCTION(tex2DLod, "textures are")
OPSMITH_NO_FUNCTION(tex3DLod, "textures are")
OPSMITH_NO_FUNCTION(tex2DLayered, "textures are")
OPSMITH_NO_FUNCTION(tex1DLayered, "textures are")
OPSMITH_NO_FUNCTION(tex2Dgather, "textures are")
OPSMITH_NO_FUNCTION(cudaCreateTextureObject, "textures are")
OPSMITH_NO_FUNCTION(cudaDestroyTextureObject, "textures are")
OPSMITH_NO_FUNCTION(cudaBindTexture, "textures are")
OPSMITH_NO_FUNCTION(cudaBindTexture2D, "textures are")
OPSMITH_NO_FUNCTION(cudaBindTextureToArray, "textures are")
OPSMITH_NO_FUNCTION(cudaUnbindTexture, "textures are")
OPSMITH_NO_FUNCTION(cudaGetTextureObjectResourceDesc, "textures are")

using cudaTextureObject_t OPSMITH_UNSUPPORTED("textures are") = unsigned long long;
using cudaSurfaceObject_t OPSMITH_UNSUPPORTED("surfaces are") = unsigned long long;
OPSMITH_NO_TYPE(cudaResourceDesc, "textures are")
OPSMITH_NO_TYPE(cudaTextureDesc, "textures are")
OPSMITH_NO_TYPE(cudaResourceViewDesc, "textures are")
OPSMITH_NO_TYPE(cudaChannelFormatDesc, "textures are")
OPSMITH_NO_TYPE(textureReference, "texture references are")
template <typename T, int dimensions = 1, int mode = 0>
struct OPSMITH_UNSUPPORTED("texture references are") texture {};
template <typename T, int dimensions = 1>
struct OPSMITH_UNSUPPORTED("surface references are") surface {};

// Their constants have values, so that the error is about the texture and nothing else.
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03

// Surfaces.
OPSMITH_NO_FUNCTION(surf1Dread, "surfaces are")
OPSMITH_NO_FUNCTION(surf1Dwrite, "surfaces are")
OPSMITH_NO_FUNCTION(surf2Dread, "surfaces are")
OPSMITH_NO_FUNCTION(surf2Dwrite, "surfaces are")
OPSMITH_NO_FUNCTION(surf3Dread, "surfaces are")
OPSMITH_NO_FUNCTION(surf3Dwrite, "surfaces are")
OPSMITH_NO_FUNCTION(cudaCreateSurfaceObject, "surfaces are")
OPSMITH_NO_FUNCTION(cudaDestroySurfaceObject, "surfaces are")
OPSMITH_NO_FUNCTION(cudaBindSurfaceToArray, "surfaces are")

// CUDA arrays.
OPSMITH_NO_FUNCTION(cudaMallocArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaMalloc3DArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaFreeArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaMemcpyToArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaMemcpyFromArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaMemcpy2DToArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaMemcpy2DFromArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaMemcpy2DToArrayAsync, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaMallocMipmappedArray, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaCreateChannelDesc, "CUDA arrays are")
OPSMITH_NO_FUNCTION(cudaGetChannelDesc, "CUDA arrays are")

// CUDA graphs.
OPSMITH_NO_FUNCTION(cudaGraphCreate, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphInstantiate, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphLaunch, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphDestroy, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphExecDestroy, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddKernelNode, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddMemcpyNode, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddMemcpyNode1D, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddMemsetNode, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddHostNode, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddNode, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddChildGraphNode, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphConditionalHandleCreate, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphSetConditional, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphExecUpdate, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphGetNodes, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaStreamBeginCapture, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaStreamBeginCaptureToGraph, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaStreamEndCapture, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaStreamIsCapturing, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphUpload, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphClone, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddDependencies, "CUDA graphs are")
OPSMITH_NO_FUNCTION(cudaGraphAddEmptyNode, "CUDA graphs are")

OPSMITH_NO_TYPE(CUgraph_st, "CUDA graphs are")
using cudaGraph_t OPSMITH_UNSUPPORTED("CUDA graphs are") = void*;
using cudaGraphExec_t OPSMITH_UNSUPPORTED("CUDA graphs are") = void*;
using cudaGraphNode_t OPSMITH_UNSUPPORTED("CUDA graphs are") = void*;
using cudaGraphConditionalHandle OPSMITH_UNSUPPORTED("CUDA graphs are") = unsigned long long;

// Memory and events of other processes.
OPSMITH_NO_FUNCTION(cudaIpcGetMemHandle, "memory shared between processes is")
OPSMITH_NO_FUNCTION(cudaIpcOpenMemHandle, "memory shared between processes is")
OPSMITH_NO_FUNCTION(cudaIpcCloseMemHandle, "memory shared between processes is")
OPSMITH_NO_FUNCTION(cudaIpcGetEventHandle, "events shared between processes are")
OPSMITH_NO_FUNCTION(cudaIpcOpenEventHandle, "events shared between processes are")

OPSMITH_NO_TYPE(cudaIpcMemHandle_t, "memory shared between processes is")
OPSMITH_NO_TYPE(cudaIpcEventHandle_t, "events shared between processes are")

// Memory pools.
OPSMITH_NO_FUNCTION(cudaMemPoolCreate, "memory pools are")
OPSMITH_NO_FUNCTION(cudaMemPoolDestroy, "memory pools are")
OPSMITH_NO_FUNCTION(cudaMallocFromPoolAsync, "memory pools are")
OPSMITH_NO_FUNCTION(cudaMemPoolSetAttribute, "memory pools are")
OPSMITH_NO_FUNCTION(cudaMemPoolGetAttribute, "memory pools are")
OPSMITH_NO_FUNCTION(cudaMemPoolTrimTo, "memory pools are")
OPSMITH_NO_FUNCTION(cudaDeviceGetDefaultMemPool, "memory pools are")
OPSMITH_NO_FUNCTION(cudaDeviceSetMemPool, "memory pools are")
OPSMITH_NO_FUNCTION(cudaDeviceGetMemPool, "memory pools are")

// Graphics and external memory.
OPSMITH_NO_FUNCTION(cudaImportExternalMemory, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaImportExternalSemaphore, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaExternalMemoryGetMappedBuffer, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaSignalExternalSemaphoresAsync, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaWaitExternalSemaphoresAsync, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaGraphicsMapResources, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaGraphicsUnmapResources, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaGraphicsResourceGetMappedPointer, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaGraphicsUnregisterResource, "graphics and external memory are")
OPSMITH_NO_FUNCTION(cudaGraphicsSubResourceGetMappedArray, "graphics and external memory are")

// CUDA's driver interface.
OPSMITH_NO_FUNCTION(cuInit, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuDeviceGet, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuDeviceGetCount, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuDeviceGetName, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuCtxCreate, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuCtxDestroy, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuModuleLoad, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuModuleLoadData, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuModuleLoadDataEx, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuModuleGetFunction, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuLaunchKernel, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuMemAlloc, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuMemFree, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuMemcpyHtoD, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuMemcpyDtoH, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuLinkCreate, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuTensorMapEncodeTiled, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuMemCreate, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuMemMap, "the CUDA driver API is")
OPSMITH_NO_FUNCTION(cuMemAddressReserve, "the CUDA driver API is")

#undef OPSMITH_NO_FUNCTION
#undef OPSMITH_NO_TYPE
