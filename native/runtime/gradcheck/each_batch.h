// Batches of rows, shared between threads.
#pragma once

#include <cstdint>
#include <functional>

namespace opsmith {

// Computes `count` rows from `first` on; false when it cannot.
using Batch = std::function<bool(int64_t first, int64_t count)>;

// Gives every batch of `rows` rows to one of the threads. A thread takes the next batch when it is
// done, so a slow thread delays no other. `make` is called once for each thread but this one. False
// as soon as one batch fails.
bool for_each_batch(int64_t rows, int64_t limit, const Batch& here,
                    const std::function<Batch()>& make);

}  // namespace opsmith
