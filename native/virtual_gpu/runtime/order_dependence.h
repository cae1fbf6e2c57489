// What a kernel leaves in memory must not depend on the order in which its blocks and warps run.
// A checked launch that used atomics runs again in other orders, from the memory that it began
// with, and what it leaves there is compared. Without atomics only a race can make it differ.
//
// A queue or a hash table that atomics fill differs too, and the program may be right all the same.
// So what differs is a finding only where the program's results are wrong, or differ themselves.
#pragma once

#include <cstddef>

#include "block.h"

namespace opsmith::gpu::orders {

/** A launch runs again: nothing is checked, and nothing is reported. */
extern bool repeating;

void launch_started();
/** A thread is about to write to memory of the device. */
void save_before_write(const void* address, std::size_t bytes);
/** The same, to a variable. */
void save_variable(const void* variable, std::size_t variable_bytes, const void* address,
                   std::size_t bytes);
void used_atomic();
/** Something that cannot be done again, or that differs in each run, as a clock. */
void cannot_repeat();

/** Runs the launch again where that may show something; memory is as it was after it. */
void compare(const Launch& launch, void (*run)(Launch& again));

/** Whether a launch left other values in memory when it ran again in another order. */
bool has_differing();
/** The results are wrong, or differ from those of the same call: what differed is a finding. */
void results_are_wrong();
void forget();

}  // namespace opsmith::gpu::orders
