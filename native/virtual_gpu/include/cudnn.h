#pragma once
#error "cuDNN is not supported on the virtual GPU"
