#pragma once
#error "cub/device/device_topk.cuh is not supported on the virtual GPU"
