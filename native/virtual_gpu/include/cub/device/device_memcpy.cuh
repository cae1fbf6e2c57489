#pragma once
#error "cub/device/device_memcpy.cuh is not supported on the virtual GPU"
