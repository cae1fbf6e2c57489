#pragma once

#error "ATen/cuda/CUDASparseDescriptors.h: cuSPARSE is not supported on the virtual GPU"
