#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/SmallVector.h>

namespace opsmith::gpu {

/// CPU tensors over the memory of CUDA tensors, for one call of a CPU kernel. A mirror has a
/// storage of its own, because a view takes its device from its storage.
class Mirrors {
 public:
  explicit Mirrors(c10::Device device) : device_(device) {}

  /// @param written the kernel changes the tensor: its mirror's new sizes and storage are
  /// `write_back`'s
  at::Tensor of(const at::Tensor& tensor, bool written);
  c10::Storage of(const c10::Storage& storage, bool written);

  /// After the call: sizes, strides, offsets and storages of what was written.
  void write_back();

  /// What the kernel returned, as a tensor of the CUDA device: the tensor that was mirrored, a view
  /// of one, or a new one.
  at::Tensor original(const at::Tensor& result) const;

 private:
  struct MirroredStorage {
    c10::Storage original;
    c10::Storage mirror;
    const void* data;
  };
  struct MirroredTensor {
    at::Tensor original;
    at::Tensor mirror;
    bool written;
  };

  c10::Storage storage_on_device(const c10::Storage& storage) const;
  void put_on_device(c10::StorageImpl& storage) const;

  c10::Device device_;
  c10::SmallVector<MirroredStorage, 4> storages_;
  c10::SmallVector<MirroredTensor, 4> tensors_;
};

/// Says that libtorch wrote the bytes of a CUDA tensor.
void mark_as_written(const at::Tensor& tensor);

}  // namespace opsmith::gpu
