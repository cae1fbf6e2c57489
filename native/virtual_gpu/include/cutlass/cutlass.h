#pragma once
#error "CUTLASS is not supported on the virtual GPU"
