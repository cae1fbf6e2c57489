#pragma once
#error "thrust/async/sort.h is not supported on the virtual GPU"
