#pragma once
#error "thrust/iterator/tabulate_output_iterator.h is not supported on the virtual GPU"
