// Floating point operations, counted where libtorch makes them.
#pragma once

#include <cstdint>
#include <functional>

namespace opsmith {

// Runs `work` and gives the floating point operations of the matrix products, convolutions and
// attention that it calls through libtorch's dispatcher on this thread, two for each multiply and
// add, as torch.utils.flop_counter has them; products with vectors too, which that one leaves out.
// What is in a kernel of the user's own, and elementwise work, is not seen. 0 where there is none,
// and where a call is among them whose operations are not known (a factorisation, a transform,
// sparse operands).
int64_t count_flops(const std::function<void()>& work);

}  // namespace opsmith
