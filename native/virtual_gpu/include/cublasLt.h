#pragma once
#error "cuBLASLt is not supported on the virtual GPU"
