#pragma once
#error "thrust/system/cuda/memory_resource.h is not supported on the virtual GPU"
