#pragma once
#error "thrust/iterator/offset_iterator.h is not supported on the virtual GPU"
