// What clang's checks of undefined behaviour call (llvm/compiler-rt/lib/ubsan/ubsan_handlers.h): an
// index outside of an array whose size is known, a misaligned pointer, an overflow of signed
// indices. Only kernels are judged.
#include <cstdint>
#include <string>

#include "checks.h"
#include "errors.h"
#include "findings.h"
#include "opsmith/gpu/checked_values.h"
#include "worker.h"

namespace opsmith::gpu {

namespace {

struct SourceLocation {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};

struct TypeMismatch {
  SourceLocation place;
  const void* type;
  unsigned char log_alignment;
  unsigned char kind;
};

void report(const char* check, std::string message, std::string remedy,
            const SourceLocation& place) {
  if (!checking || current == nullptr) return;
  Finding made;
  made.check = check;
  made.message = std::move(message);
  made.remedy = std::move(remedy);
  made.place = {nullptr, {place.file, place.line, place.column}};
  made.thread = {current->block_index, current->thread, true};
  made.kernel = worker->launch()->kernel->name;
  made.launched = worker->launch()->kernel->site;
  add_finding(std::move(made));
}

/** A GPU would not go on, or with wrong memory. */
void end_launch() {
  if (!checking || current == nullptr) return;
  set_sticky_error(cudaErrorIllegalAddress);
  worker->abandon();
}

void report_overflow(const SourceLocation& place) {
  report("index-overflow", "A signed integer overflows, so its value is wrong.",
         "If the value is an index, compute it in std::int64_t. If the overflow is intended, use "
         "unsigned int.",
         place);
}

void report_alignment(std::size_t alignment, const SourceLocation& place) {
  report("misaligned",
         "The type requires an address that is a multiple of " + std::to_string(alignment) +
             ", but this address is not. On a GPU, the kernel stops with an error.",
         "Use a smaller type for this address, or align the memory.", place);
  end_launch();
}

}  // namespace

void report_misaligned(std::size_t alignment, Site site) {
  report_alignment(alignment, {site.file, site.line, site.column});
}

void report_index_overflow(Site site) {
  report("index-overflow",
         "An index is computed as unsigned int, but its value does not fit into 32 bits, so the "
         "index is wrong.",
         "Convert blockIdx or threadIdx to std::int64_t before the multiplication.",
         {site.file, site.line, site.column});
}

}  // namespace opsmith::gpu

using opsmith::gpu::report;
using opsmith::gpu::SourceLocation;

extern "C" {

void __ubsan_handle_out_of_bounds(void* data, std::uintptr_t index) {
  report(
      "out-of-bounds",
      "The index " + std::to_string(static_cast<std::int64_t>(index)) + " is outside of the array.",
      "Check that the index is less than the size of the array.",
      *static_cast<SourceLocation*>(data));
  opsmith::gpu::end_launch();
}

void __ubsan_handle_type_mismatch_v1(void* data, std::uintptr_t pointer) {
  const auto& mismatch = *static_cast<opsmith::gpu::TypeMismatch*>(data);
  const std::uintptr_t alignment = std::uintptr_t{1} << mismatch.log_alignment;
  if (pointer == 0 || pointer % alignment == 0) return;
  opsmith::gpu::report_alignment(alignment, mismatch.place);
}

void __ubsan_handle_alignment_assumption(void*, std::uintptr_t, std::uintptr_t, std::uintptr_t) {}

#define OPSMITH_OVERFLOW(name)                                                        \
  void __ubsan_handle_##name##_overflow(void* data, std::uintptr_t, std::uintptr_t) { \
    opsmith::gpu::report_overflow(*static_cast<SourceLocation*>(data));               \
  }
OPSMITH_OVERFLOW(add)
OPSMITH_OVERFLOW(sub)
OPSMITH_OVERFLOW(mul)
OPSMITH_OVERFLOW(divrem)
#undef OPSMITH_OVERFLOW
void __ubsan_handle_negate_overflow(void* data, std::uintptr_t) {
  opsmith::gpu::report_overflow(*static_cast<SourceLocation*>(data));
}

}  // extern "C"
