#pragma once
#error "thrust/async/copy.h is not supported on the virtual GPU"
