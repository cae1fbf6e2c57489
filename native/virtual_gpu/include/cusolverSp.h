#pragma once
#error "cuSOLVER is not supported on the virtual GPU"
