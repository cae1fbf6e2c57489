#pragma once

#error "ATen/cuda/CUDASparseBlas.h: cuSPARSE is not supported on the virtual GPU"
