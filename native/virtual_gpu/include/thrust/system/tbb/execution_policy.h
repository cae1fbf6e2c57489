#pragma once
#error "thrust/system/tbb/execution_policy.h is not supported on the virtual GPU"
