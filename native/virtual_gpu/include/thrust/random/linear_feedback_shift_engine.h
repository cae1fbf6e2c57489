#pragma once
#error "thrust/random/linear_feedback_shift_engine.h is not supported on the virtual GPU"
