#pragma once
#error "thrust/system/cuda/experimental/pinned_allocator.h is not supported on the virtual GPU"
