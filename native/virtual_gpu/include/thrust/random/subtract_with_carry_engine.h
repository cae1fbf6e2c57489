#pragma once
#error "thrust/random/subtract_with_carry_engine.h is not supported on the virtual GPU"
