#pragma once
#error "thrust/allocate_unique.h is not supported on the virtual GPU"
