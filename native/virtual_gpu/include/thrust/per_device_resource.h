#pragma once
#error "thrust/per_device_resource.h is not supported on the virtual GPU"
