#pragma once
#error "nvJPEG is not supported on the virtual GPU"
