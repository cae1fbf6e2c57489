#pragma once
#error "thrust/async/scan.h is not supported on the virtual GPU"
