#pragma once
#error "thrust/mr/device_memory_resource.h is not supported on the virtual GPU"
