#pragma once
#error "cub/grid/grid_mapping.cuh is not supported on the virtual GPU"
