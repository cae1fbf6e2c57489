#pragma once
#error "NVML is not supported on the virtual GPU"
