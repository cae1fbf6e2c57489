#pragma once
#error "cuTENSOR is not supported on the virtual GPU"
