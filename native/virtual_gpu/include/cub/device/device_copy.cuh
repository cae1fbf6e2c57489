#pragma once
#error "cub/device/device_copy.cuh is not supported on the virtual GPU"
