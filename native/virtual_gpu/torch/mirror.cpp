#include "mirror.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/TensorImpl.h>
#include <c10/cuda/CUDAStream.h>

#include <cstring>

#include "allocators.h"
#include "device_memory.h"

namespace opsmith::gpu {
namespace {

at::Tensor tensor_like(const at::Tensor& tensor, c10::Storage storage, c10::DispatchKey key) {
  const c10::TensorImpl& from = *tensor.unsafeGetTensorImpl();
  c10::DispatchKeySet keys(key);
  if (from._is_zerotensor()) keys = keys.add(c10::DispatchKey::ZeroTensor);
  auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), keys, tensor.dtype());
  c10::TensorImpl& to = *made.unsafeGetTensorImpl();
  to.set_sizes_and_strides(from.sizes(), from.strides(), from.storage_offset());
  if (from.is_conj()) to._set_conj(true);
  if (from.is_neg()) to._set_neg(true);
  if (from.is_wrapped_number()) to.set_wrapped_number(true);
  return made;
}

bool same_geometry(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.storage_offset() == b.storage_offset();
}

/// Calls mark(address, bytes) for each run of elements without a gap.
template <typename Mark>
void for_each_run(char* data, c10::IntArrayRef sizes, c10::IntArrayRef strides, size_t itemsize,
                  Mark&& mark) {
  if (sizes.empty()) {
    mark(data, itemsize);
  } else if (sizes.size() == 1 && strides[0] == 1) {
    mark(data, sizes[0] * itemsize);
  } else {
    for (int64_t i = 0; i < sizes[0]; ++i)
      for_each_run(data + i * strides[0] * static_cast<int64_t>(itemsize), sizes.slice(1),
                   strides.slice(1), itemsize, mark);
  }
}

}  // namespace

c10::Storage Mirrors::of(const c10::Storage& storage, bool written) {
  auto* impl = storage.unsafeGetStorageImpl();
  // A storage that is copied on write gets its own memory before a kernel writes to it.
  void* data = written ? impl->mutable_data() : const_cast<void*>(impl->data());
  for (const auto& known : storages_)
    if (known.original.unsafeGetStorageImpl() == impl && known.data == data) return known.mirror;
  auto* allocator = c10::GetAllocator(c10::kCPU);
  auto mirror = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), impl->nbytes(),
      c10::DataPtr(data, c10::Device(c10::kCPU)), allocator, impl->resizable());
  storages_.push_back({storage, c10::Storage(std::move(mirror)), data});
  return storages_.back().mirror;
}

at::Tensor Mirrors::of(const at::Tensor& tensor, bool written) {
  auto mirror = tensor_like(tensor, of(tensor.storage(), written), c10::DispatchKey::CPU);
  tensors_.push_back({tensor, mirror, written});
  return mirror;
}

void Mirrors::write_back() {
  for (auto& [original, mirror, data] : storages_) {
    auto* from = mirror.unsafeGetStorageImpl();
    if (from->data() == data && from->nbytes() == original.nbytes()) continue;
    auto* to = original.unsafeGetStorageImpl();
    to->set_nbytes(from->nbytes());
    if (from->data() == data) continue;
    // The kernel has made the storage larger: the mirror owns the new memory.
    put_on_device(*from);
    to->set_data_ptr_noswap(std::move(from->_mutable_data_ptr_no_checks()));
  }
  for (auto& [original, mirror, written] : tensors_) {
    if (!written) continue;
    auto* impl = original.unsafeGetTensorImpl();
    const auto storage = storage_on_device(mirror.storage());
    if (impl->unsafe_storage().unsafeGetStorageImpl() != storage.unsafeGetStorageImpl())
      impl->set_storage_keep_dtype(storage);
    if (!same_geometry(original, mirror))
      impl->set_sizes_and_strides(mirror.sizes(), mirror.strides(), mirror.storage_offset());
  }
}

c10::Storage Mirrors::storage_on_device(const c10::Storage& storage) const {
  auto* impl = storage.unsafeGetStorageImpl();
  for (const auto& known : storages_)
    if (known.mirror.unsafeGetStorageImpl() == impl) return known.original;
  if (impl->device() != device_) put_on_device(*impl);
  return storage;
}

void Mirrors::put_on_device(c10::StorageImpl& storage) const {
  const c10::DataPtr& data = storage._mutable_data_ptr_no_checks();
  if (data.get() != nullptr && device_of(data.get()) != device_.index()) {
    // Another allocator than ours was asked.
    const c10::DeviceGuard guard(device_);
    c10::DataPtr copy = device_allocator().allocate(storage.nbytes());
    std::memcpy(copy.get(), data.get(), storage.nbytes());
    storage.set_data_ptr_noswap(std::move(copy));
  }
  storage._mutable_data_ptr_no_checks().unsafe_set_device(device_);
  storage.set_allocator(&device_allocator());
}

at::Tensor Mirrors::original(const at::Tensor& result) const {
  for (const auto& known : tensors_)
    if (known.mirror.unsafeGetTensorImpl() == result.unsafeGetTensorImpl()) return known.original;
  return tensor_like(result, storage_on_device(result.storage()), c10::DispatchKey::CUDA);
}

void mark_as_written(const at::Tensor& tensor) {
  if (!has_checks() || tensor.numel() == 0 || tensor._is_zerotensor()) return;
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(tensor.device().index());
  auto* data = static_cast<char*>(tensor.unsafeGetTensorImpl()->mutable_data());
  const auto mark = [&](void* address, size_t bytes) { mark_written(address, bytes, stream); };
  if (tensor.is_non_overlapping_and_dense())
    mark(data, tensor.numel() * tensor.itemsize());
  else
    for_each_run(data, tensor.sizes(), tensor.strides(), tensor.itemsize(), mark);
}

}  // namespace opsmith::gpu
