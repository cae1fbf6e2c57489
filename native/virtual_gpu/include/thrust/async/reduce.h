#pragma once
#error "thrust/async/reduce.h is not supported on the virtual GPU"
