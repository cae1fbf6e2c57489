#pragma once
#error "NCCL is not supported on the virtual GPU"
