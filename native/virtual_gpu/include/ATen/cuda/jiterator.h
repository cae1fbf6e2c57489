#pragma once

#error "ATen/cuda/jiterator.h: NVRTC is not supported on the virtual GPU"
