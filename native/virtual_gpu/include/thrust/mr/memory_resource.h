#pragma once
#error "thrust/mr/memory_resource.h is not supported on the virtual GPU"
