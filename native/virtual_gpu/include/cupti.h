#pragma once
#error "CUPTI is not supported on the virtual GPU"
