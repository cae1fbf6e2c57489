#pragma once
#error "thrust/iterator/transform_input_output_iterator.h is not supported on the virtual GPU"
