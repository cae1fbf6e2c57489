#pragma once
#error "thrust/iterator/iterator_facade.h is not supported on the virtual GPU"
