#pragma once
#error "cub/device/device_transform.cuh is not supported on the virtual GPU"
