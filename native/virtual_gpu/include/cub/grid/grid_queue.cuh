#pragma once
#error "cub/grid/grid_queue.cuh is not supported on the virtual GPU"
