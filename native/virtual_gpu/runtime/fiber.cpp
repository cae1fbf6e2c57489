#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

namespace opsmith::gpu {

namespace {

/** Each guard page splits a mapping, and a process has some 65,000 mappings. */
constexpr std::uint32_t guarded_stacks = 8192;
/** Stacks begin at different cache sets: all of them at one would throw each other out. */
constexpr std::size_t colours = 61;
constexpr std::size_t colour_bytes = 192;

}  // namespace

#if defined(__x86_64__)
asm(R"(
.text
.globl opsmith_gpu_switch
.type opsmith_gpu_switch, @function
opsmith_gpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size opsmith_gpu_switch, .-opsmith_gpu_switch
)");
constexpr std::size_t saved_words = 7;
constexpr std::size_t return_word = 6;
#elif defined(__aarch64__)
asm(R"(
.text
.globl opsmith_gpu_switch
.type opsmith_gpu_switch, %function
opsmith_gpu_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size opsmith_gpu_switch, .-opsmith_gpu_switch
)");
constexpr std::size_t saved_words = 20;
constexpr std::size_t return_word = 11;
#else
#error "the virtual GPU runs on x86-64 and aarch64"
#endif

std::byte* map_stack(std::uint32_t number) {
  void* memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (number < guarded_stacks)
    mprotect(memory, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
  return static_cast<std::byte*>(memory);
}

void unmap_stack(std::byte* stack) { munmap(stack, stack_bytes); }

void prepare_stack(Fiber& fiber, void (*entry)()) {
  std::byte* top = fiber.stack + stack_bytes - 64 - fiber.number % colours * colour_bytes;
  top = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{63});
  // x86-64: at a function's entry the stack is 8 bytes off a multiple of 16, as after a call.
  auto* words = reinterpret_cast<std::uintptr_t*>(top) - saved_words - 1;
  for (std::size_t index = 0; index < saved_words; ++index) words[index] = 0;
  words[return_word] = reinterpret_cast<std::uintptr_t>(entry);
#if defined(__aarch64__)
  words = reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(words) & ~15ULL);
  for (std::size_t index = 0; index < saved_words; ++index) words[index] = 0;
  words[return_word] = reinterpret_cast<std::uintptr_t>(entry);
#endif
  fiber.stack_pointer = words;
}

}  // namespace opsmith::gpu
