// malloc, free, new and delete: what a kernel allocates is memory of the device. A checked program
// is linked so that its calls of malloc and free come here (--wrap); new and delete are replaced.
#include "device_heap.h"

#include <cstdlib>
#include <new>

extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  void* address = std::malloc(bytes);
  opsmith::gpu::note_device_heap(address, bytes);
  return address;
}

void __wrap_free(void* address) {
  opsmith::gpu::forget_device_heap(address);
  std::free(address);
}

}  // extern "C"

void* operator new(std::size_t bytes) {
  void* address = std::malloc(bytes == 0 ? 1 : bytes);
  if (address == nullptr) throw std::bad_alloc();
  opsmith::gpu::note_device_heap(address, bytes);
  return address;
}

void operator delete(void* address) noexcept {
  opsmith::gpu::forget_device_heap(address);
  std::free(address);
}

void operator delete(void* address, std::size_t) noexcept {
  operator delete(address);
}
void* operator new[](std::size_t bytes) {
  return operator new(bytes);
}
void operator delete[](void* address) noexcept {
  operator delete(address);
}
void operator delete[](void* address, std::size_t) noexcept {
  operator delete(address);
}
