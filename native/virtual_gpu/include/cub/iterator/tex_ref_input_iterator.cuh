#pragma once
#error "cub/iterator/tex_ref_input_iterator.cuh is not supported on the virtual GPU"
