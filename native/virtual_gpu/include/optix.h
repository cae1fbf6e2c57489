#pragma once
#error "OptiX is not supported on the virtual GPU"
