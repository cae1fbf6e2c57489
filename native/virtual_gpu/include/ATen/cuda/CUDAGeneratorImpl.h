#pragma once

// Stands for libtorch's header: the generator of a CUDA device, a seed and an offset of Philox,
// without graph capture.

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/cuda/PhiloxCudaState.h>
#include <c10/core/GeneratorImpl.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace at {

struct TORCH_CUDA_CPP_API CUDAGeneratorImpl : public c10::GeneratorImpl {
  explicit CUDAGeneratorImpl(DeviceIndex device = -1);
  ~CUDAGeneratorImpl() override = default;

  std::shared_ptr<CUDAGeneratorImpl> clone() const;
  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override;
  uint64_t seed() override;
  void set_offset(uint64_t offset) override;
  uint64_t get_offset() const override;
  void set_state(const c10::TensorImpl& state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;

  void set_philox_offset_per_thread(uint64_t offset);
  uint64_t philox_offset_per_thread() const;

  /// Seed and offset for a kernel whose threads draw up to `increment` numbers each. Hold `mutex_`.
  PhiloxCudaState philox_cuda_state(uint64_t increment);
  std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);

  static c10::DeviceType device_type();

 private:
  CUDAGeneratorImpl* clone_impl() const override;

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
};

namespace cuda::detail {

TORCH_CUDA_CPP_API const Generator& getDefaultCUDAGenerator(DeviceIndex device = -1);
TORCH_CUDA_CPP_API Generator createCUDAGenerator(DeviceIndex device = -1);

}  // namespace cuda::detail
}  // namespace at
