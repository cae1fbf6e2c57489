#pragma once
#error "thrust/async/transform.h is not supported on the virtual GPU"
