#pragma once

#error "ATen/cuda/CUDAGraph.h: graph capture is not supported on the virtual GPU"
