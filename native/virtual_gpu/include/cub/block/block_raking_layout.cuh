#pragma once
#error "cub/block/block_raking_layout.cuh is not supported on the virtual GPU"
