#pragma once
#error "cub/block/radix_rank_sort_operations.cuh is not supported on the virtual GPU"
