#pragma once
#error "thrust/iterator/strided_iterator.h is not supported on the virtual GPU"
