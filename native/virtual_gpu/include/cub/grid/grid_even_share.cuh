#pragma once
#error "cub/grid/grid_even_share.cuh is not supported on the virtual GPU"
