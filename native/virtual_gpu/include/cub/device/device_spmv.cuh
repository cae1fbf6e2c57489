#pragma once
#error "cub/device/device_spmv.cuh is not supported on the virtual GPU"
