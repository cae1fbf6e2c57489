#pragma once
#error "cuBLASXt is not supported on the virtual GPU"
