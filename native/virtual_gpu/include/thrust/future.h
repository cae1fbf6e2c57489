#pragma once
#error "thrust/future.h is not supported on the virtual GPU"
