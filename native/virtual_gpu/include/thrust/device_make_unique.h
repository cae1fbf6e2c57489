#pragma once
#error "thrust/device_make_unique.h is not supported on the virtual GPU"
