#pragma once
#error "thrust/system/omp/execution_policy.h is not supported on the virtual GPU"
