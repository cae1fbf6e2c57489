#pragma once
#error "thrust/iterator/iterator_adaptor.h is not supported on the virtual GPU"
