#pragma once
#error "thrust/async/for_each.h is not supported on the virtual GPU"
