#include "generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAFunctions.h>

#include <array>
#include <bit>
#include <cstring>

namespace at {

namespace {

constexpr size_t state_bytes = 2 * sizeof(uint64_t);  // seed and offset, as libtorch's
// A kernel takes numbers by fours, so an offset is a multiple of four.
constexpr uint64_t numbers_at_once = 4;

}  // namespace

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device)
    : GeneratorImpl(Device(DeviceType::CUDA, device), DispatchKeySet(c10::DispatchKey::CUDA)) {}

std::shared_ptr<CUDAGeneratorImpl> CUDAGeneratorImpl::clone() const {
  return std::shared_ptr<CUDAGeneratorImpl>(clone_impl());
}

CUDAGeneratorImpl* CUDAGeneratorImpl::clone_impl() const {
  auto* copy = new CUDAGeneratorImpl(device().index());
  copy->seed_ = seed_;
  copy->offset_ = offset_;
  return copy;
}

void CUDAGeneratorImpl::set_current_seed(uint64_t seed) {
  seed_ = seed;
  offset_ = 0;
}

uint64_t CUDAGeneratorImpl::current_seed() const {
  return seed_;
}

uint64_t CUDAGeneratorImpl::seed() {
  set_current_seed(c10::detail::getNonDeterministicRandom(true));
  return seed_;
}

void CUDAGeneratorImpl::set_offset(uint64_t offset) {
  set_philox_offset_per_thread(offset);
}
uint64_t CUDAGeneratorImpl::get_offset() const {
  return offset_;
}
uint64_t CUDAGeneratorImpl::philox_offset_per_thread() const {
  return offset_;
}

void CUDAGeneratorImpl::set_philox_offset_per_thread(uint64_t offset) {
  TORCH_CHECK(offset % numbers_at_once == 0, "offset must be a multiple of 4");
  offset_ = offset;
}

c10::intrusive_ptr<c10::TensorImpl> CUDAGeneratorImpl::get_state() const {
  auto state = at::empty({static_cast<int64_t>(state_bytes)}, at::device(kCPU).dtype(kByte));
  auto* bytes = state.mutable_data_ptr<uint8_t>();
  std::memcpy(bytes, &seed_, sizeof seed_);
  std::memcpy(bytes + sizeof seed_, &offset_, sizeof offset_);
  return state.getIntrusivePtr();
}

void CUDAGeneratorImpl::set_state(const c10::TensorImpl& state) {
  TORCH_CHECK_TYPE(state.device().is_cpu() && state.dtype() == caffe2::TypeMeta::Make<uint8_t>() &&
                       state.is_contiguous(),
                   "RNG state must be a torch.ByteTensor");
  TORCH_CHECK(state.numel() == static_cast<int64_t>(state_bytes), "RNG state is wrong size");
  const auto* bytes = static_cast<const uint8_t*>(state.data());
  uint64_t offset = 0;
  std::memcpy(&offset, bytes + sizeof seed_, sizeof offset);
  set_philox_offset_per_thread(offset);
  std::memcpy(&seed_, bytes, sizeof seed_);
}

std::pair<uint64_t, uint64_t> CUDAGeneratorImpl::philox_engine_inputs(uint64_t increment) {
  const uint64_t offset = offset_;
  offset_ += (increment + numbers_at_once - 1) / numbers_at_once * numbers_at_once;
  return {seed_, offset};
}

PhiloxCudaState CUDAGeneratorImpl::philox_cuda_state(uint64_t increment) {
  const auto [seed, offset] = philox_engine_inputs(increment);
  return {seed, offset};
}

c10::DeviceType CUDAGeneratorImpl::device_type() {
  return DeviceType::CUDA;
}

namespace cuda::detail {

const Generator& getDefaultCUDAGenerator(DeviceIndex device) {
  static auto* generators = [] {
    auto* made = new std::vector<Generator>();
    for (DeviceIndex i = 0; i < c10::cuda::device_count(); ++i) {
      made->push_back(createCUDAGenerator(i));
      made->back().seed();
    }
    return made;
  }();
  if (device == -1) device = c10::cuda::current_device();
  TORCH_CHECK(device >= 0 && static_cast<size_t>(device) < generators->size(),
              "Invalid device index ", int(device));
  return (*generators)[device];
}

Generator createCUDAGenerator(DeviceIndex device) {
  if (device == -1) device = c10::cuda::current_device();
  return at::make_generator<CUDAGeneratorImpl>(device);
}

}  // namespace cuda::detail
}  // namespace at

namespace opsmith::gpu {

at::Generator cpu_generator_for(const at::Generator& generator) {
  auto* state = at::check_generator<at::CUDAGeneratorImpl>(generator);
  const std::lock_guard lock(state->mutex_);
  const auto [seed, offset] = state->philox_engine_inputs(1);
  // libtorch seeds its CPU engine with 32 bits: mix all of both numbers into them (the finalizer of
  // SplitMix64).
  uint64_t mixed = seed + std::rotl(offset * 0x9E3779B97F4A7C15u, 32);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return at::detail::createCPUGenerator(mixed ^ (mixed >> 31));
}

}  // namespace opsmith::gpu
