// Batches of rows, shared between threads.
#pragma once

#include <cstdint>
#include <functional>

namespace opsmith {

// Computes `count` rows from `first` on; false when it cannot.
using Batch = std::function<bool(int64_t first, int64_t count)>;

// Gives every batch of `rows` rows to one of the threads, which take the next when they are done:
// nobody waits for a thread that the machine has no time for. `make` is called once for each thread
// but this one. False as soon as a batch is.
bool for_each_batch(int64_t rows, int64_t limit, const Batch& here,
                    const std::function<Batch()>& make);

}  // namespace opsmith
