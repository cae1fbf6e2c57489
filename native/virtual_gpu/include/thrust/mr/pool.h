#pragma once
#error "thrust/mr/pool.h is not supported on the virtual GPU"
