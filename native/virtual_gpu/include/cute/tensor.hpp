#pragma once
#error "CuTe is not supported on the virtual GPU"
