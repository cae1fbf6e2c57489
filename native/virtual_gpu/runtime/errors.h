// Errors of the runtime: the code that CUDA's functions return, and a sentence for people.
#pragma once

#include "driver_types.h"
#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

struct Launch;
struct Fiber;

/** Keeps an error for cudaGetLastError. Errors of kernels stay until the device is reset. */
void set_error(cudaError_t error);
cudaError_t take_error();
cudaError_t peek_error();
/** An error of a kernel, which every later call returns; cudaSuccess if there is none. */
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);
void clear_errors();

/** Keeps the error and gives it: how CUDA's functions end. */
cudaError_t failed(cudaError_t error);

/** Prints `opsmith: file:line: text` to stderr, with the kernel and the thread if one runs. */
void report_failure(const char* text, Site site = {});

/** How a program ends that asks for what is not supported. */
constexpr int refused_exit_code = 70;

/** Says who waits for what when nobody of a launch can go on. */
void report_stuck(const Launch& launch, const unsigned* by_wait, const Fiber* const* example,
                  unsigned polling);

}  // namespace opsmith::gpu
