#pragma once
#error "cub/grid/grid_barrier.cuh is not supported on the virtual GPU"
