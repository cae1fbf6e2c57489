#pragma once

#error "ATen/cuda/CUDABlas.h: cuBLAS is not supported on the virtual GPU"
