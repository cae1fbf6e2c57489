#pragma once
#error "cuBLAS is not supported on the virtual GPU"
