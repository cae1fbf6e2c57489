// Launches: what `kernel<<<grid, block, shared, stream>>>(arguments)` becomes.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

inline LaunchSize launch_size(dim3 grid, dim3 block, std::size_t dynamic_shared = 0,
                              cudaStream_t stream = nullptr) {
  return {grid, block, dynamic_shared, stream, false};
}

/** Calls the kernel for one thread after the other, until the fiber has no more. */
template <typename Body>
void run_threads(const void* closure) {
  const Body& body = *static_cast<const Body*>(closure);
  do {
    body();
  } while (next_thread());
}

template <typename Body>
void launch(const LaunchSize& size, const char* name, Site site, const void* entry,
            const Body& body) {
  const Kernel kernel{name, site, run_threads<Body>, &body, entry};
  if (can_launch(size, kernel)) run_launch(size, kernel);
}

/** A kernel with its parameters: an argument becomes a parameter's type once, on the host. */
template <typename Call, typename... Parameters>
struct ExactLauncher {
  LaunchSize size;
  const char* name;
  Site site;
  Call call;
  void (*entry)(Parameters...);

  void operator()(Parameters... parameters) const {
    const std::tuple<Parameters...> kept(std::move(parameters)...);
    launch(size, name, site, reinterpret_cast<const void*>(entry),
           [&] { std::apply(call, kept); });
  }
  /** A kernel with default arguments. */
  template <typename... Given,
            typename = std::enable_if_t<(sizeof...(Given) < sizeof...(Parameters))>>
  void operator()(const Given&... given) const {
    const std::tuple<std::decay_t<Given>...> kept(given...);
    launch(size, name, site, reinterpret_cast<const void*>(entry),
           [&] { std::apply(call, kept); });
  }
};

/** A kernel whose template arguments follow from its arguments. */
template <typename Call>
struct DeducingLauncher {
  LaunchSize size;
  const char* name;
  Site site;
  Call call;

  template <typename... Given>
  void operator()(Given&&... given) const {
    const std::tuple<std::decay_t<Given>...> kept(std::forward<Given>(given)...);
    launch(size, name, site, nullptr, [&] { std::apply(call, kept); });
  }
};

template <typename Call>
struct TakeFunction {
  LaunchSize size;
  const char* name;
  Site site;
  Call call;

  template <typename... Parameters>
  ExactLauncher<Call, Parameters...> operator()(void (*entry)(Parameters...)) const {
    return {size, name, site, call, entry};
  }
};

/** `find` names the kernel for a function that takes one; that fails where it is a set of overloads. */
template <typename Find, typename Call>
auto launcher(const LaunchSize& size, const char* name, Find find, Call call,
              Site site = Site::here()) {
  if constexpr (std::is_invocable_v<Find, TakeFunction<Call>>)
    return find(TakeFunction<Call>{size, name, site, call});
  else
    return DeducingLauncher<Call>{size, name, site, call};
}

/** Passes what `void* arguments[]` of cudaLaunchKernel points at. */
template <typename... Parameters, std::size_t... index>
void launch_from_pointers(const LaunchSize& size, const char* name, Site site,
                          void (*entry)(Parameters...), void** arguments,
                          std::index_sequence<index...>) {
  const std::tuple<Parameters...> kept(
      *static_cast<std::remove_reference_t<Parameters>*>(arguments[index])...);
  launch(size, name, site, reinterpret_cast<const void*>(entry),
         [&] { std::apply(entry, kept); });
}

/** What the rewriter writes where a function of the device has a launch. */
template <typename... Given>
__attribute__((unavailable(
    "a kernel launches a kernel: dynamic parallelism is not supported on the virtual GPU"))) void
launch_from_kernel(Given&&...);

}  // namespace opsmith::gpu

/** What the rewriter writes in place of `<<<...>>>`: the size of the launch, then the kernel. */
#define OPSMITH_LAUNCH(size, name, ...)                                                \
  ::opsmith::gpu::launcher(                                                            \
      size, name,                                                                      \
      [&](auto opsmith_take) -> decltype(opsmith_take(__VA_ARGS__)) {                  \
        return opsmith_take(__VA_ARGS__);                                              \
      },                                                                               \
      [&](auto&&... opsmith_given) {                                                   \
        __VA_ARGS__(static_cast<decltype(opsmith_given)&&>(opsmith_given)...);         \
      })

template <typename... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                    void** arguments, std::size_t dynamic_shared = 0,
                                    cudaStream_t stream = nullptr, OPSMITH_CALLER) {
  ::opsmith::gpu::launch_from_pointers({grid, block, dynamic_shared, stream, false},
                                       "cudaLaunchKernel", site, kernel, arguments,
                                       std::index_sequence_for<Parameters...>{});
  return cudaPeekAtLastError();
}
template <typename... Parameters>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                               void** arguments, std::size_t dynamic_shared = 0,
                                               cudaStream_t stream = nullptr, OPSMITH_CALLER) {
  ::opsmith::gpu::launch_from_pointers({grid, block, dynamic_shared, stream, true},
                                       "cudaLaunchCooperativeKernel", site, kernel, arguments,
                                       std::index_sequence_for<Parameters...>{});
  return cudaPeekAtLastError();
}
template <typename... Parameters, typename... Given>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                      void (*kernel)(Parameters...), Given&&... given) {
  ::opsmith::gpu::LaunchSize size{config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                  config->stream, false};
  for (unsigned index = 0; index < config->numAttrs; ++index) {
    const cudaLaunchAttribute& attribute = config->attrs[index];
    if (attribute.id == cudaLaunchAttributeCooperative)
      size.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      ::opsmith::gpu::refuse("thread block clusters are not supported on the virtual GPU", {});
  }
  const std::tuple<Parameters...> kept(std::forward<Given>(given)...);
  ::opsmith::gpu::launch(size, "cudaLaunchKernelEx", {}, reinterpret_cast<const void*>(kernel),
                         [&] { std::apply(kernel, kept); });
  return cudaPeekAtLastError();
}
/** A kernel whose type is lost is found by its address, if it was launched before. */
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared = 0, cudaStream_t stream = nullptr,
                             OPSMITH_CALLER) = delete;
