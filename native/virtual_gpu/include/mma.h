#pragma once
#error "tensor cores (nvcuda::wmma) are not supported on the virtual GPU"
