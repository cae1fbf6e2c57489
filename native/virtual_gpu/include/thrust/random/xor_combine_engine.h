#pragma once
#error "thrust/random/xor_combine_engine.h is not supported on the virtual GPU"
