#pragma once
#error "NVRTC (compiling at run time) is not supported on the virtual GPU"
