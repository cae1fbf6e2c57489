#pragma once
#error "NVSHMEM is not supported on the virtual GPU"
