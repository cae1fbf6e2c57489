#pragma once
#error "cuFFT is not supported on the virtual GPU"
