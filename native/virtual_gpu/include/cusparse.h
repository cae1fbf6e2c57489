#pragma once
#error "cuSPARSE is not supported on the virtual GPU"
