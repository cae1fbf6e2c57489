#pragma once
#error "thrust/mr/allocator.h is not supported on the virtual GPU"
