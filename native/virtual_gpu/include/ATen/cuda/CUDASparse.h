#pragma once

#error "ATen/cuda/CUDASparse.h: cuSPARSE is not supported on the virtual GPU"
