// Launches: what `kernel<<<grid, block, shared, stream>>>(arguments)` becomes.
#pragma once

#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "opsmith/gpu/device.h"

namespace opsmith::gpu {

inline LaunchSize launch_size(dim3 grid, dim3 block, std::size_t dynamic_shared = 0,
                              cudaStream_t stream = nullptr) {
  return {grid, block, dynamic_shared, stream, false};
}

// A std::tuple, std::apply and std::is_invocable of each kernel took more time to compile than the
// rest of a usual source.

template <std::size_t place, typename T>
struct Argument {
  T value;
};

template <typename Places, typename... Arguments>
struct ArgumentList;
template <std::size_t... places, typename... Arguments>
struct ArgumentList<std::index_sequence<places...>, Arguments...> : Argument<places, Arguments>... {
  template <typename Call>
  __attribute__((always_inline)) void pass_to(const Call& call) const {
    call(this->Argument<places, Arguments>::value...);
  }
};

/** A kernel with its arguments: all that its threads read of the host's memory. */
template <typename Call, typename... Arguments>
struct Closure {
  Call call;
  ArgumentList<std::make_index_sequence<sizeof...(Arguments)>, Arguments...> arguments;
};

/** Calls the kernel for one thread after the other, until the fiber has no more. */
template <typename Kept>
void run_threads(const void* closure) {
  const Kept& kept = *static_cast<const Kept*>(closure);
  do {
    kept.arguments.pass_to(kept.call);
  } while (next_thread());
}

template <typename Kept>
cudaError_t launch(const LaunchSize& size, const char* name, Site site, const void* entry,
                   const Kept& kept) {
  const Kernel kernel{name, site, run_threads<Kept>, &kept, sizeof(kept), entry};
  const cudaError_t error = can_launch(size, kernel);
  if (error == cudaSuccess) run_launch(size, kernel);
  return error;
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
    // A name is called as such, and can become part of the loop over threads. A variable that
    // points at a kernel is read here: threads must not read it from the host's stack.
    if constexpr (__is_empty(Call))
      launch(size, name, site, reinterpret_cast<const void*>(entry),
             Closure<Call, Parameters...>{call, {{static_cast<Parameters&&>(parameters)}...}});
    else
      launch(size, name, site, reinterpret_cast<const void*>(entry),
             Closure<void (*)(Parameters...), Parameters...>{
                 entry, {{static_cast<Parameters&&>(parameters)}...}});
  }
  /** A kernel with default arguments, or with template arguments that follow from these. */
  template <typename... Given>
    requires(!requires(void (*kernel)(Parameters...), const Given&... given) { kernel(given...); })
  void operator()(const Given&... given) const {
    launch(size, name, site, reinterpret_cast<const void*>(entry),
           Closure<Call, std::decay_t<Given>...>{call, {{given}...}});
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
    launch(size, name, site, nullptr,
           Closure<Call, std::decay_t<Given>...>{call, {{std::forward<Given>(given)}...}});
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

/** `find` names the kernel for a function that takes one; that fails where it is a set of
 * overloads. */
template <typename Find, typename Call>
auto launcher(const LaunchSize& size, const char* name, Find find, Call call,
              Site site = Site::here()) {
  if constexpr (requires(TakeFunction<Call> take) { find(take); })
    return find(TakeFunction<Call>{size, name, site, call});
  else
    return DeducingLauncher<Call>{size, name, site, call};
}

/** Passes what `void* arguments[]` of cudaLaunchKernel points at. */
template <typename... Parameters, std::size_t... index>
cudaError_t launch_from_pointers(const LaunchSize& size, const char* name, Site site,
                                 void (*entry)(Parameters...), void** arguments,
                                 std::index_sequence<index...>) {
  return launch(
      size, name, site, reinterpret_cast<const void*>(entry),
      Closure<void (*)(Parameters...), Parameters...>{
          entry, {{*static_cast<std::remove_reference_t<Parameters>*>(arguments[index])}...}});
}

/** What the rewriter assigns results to that a program throws away. */
struct Ignored {
  const char* function;
  Site site = Site::here();

  void operator=(cudaError_t error) const;
};

/** What the rewriter writes where a function of the device has a launch. */
template <typename... Given>
__attribute__((unavailable(
    "a kernel launches a kernel: dynamic parallelism is not supported on the virtual GPU"))) void
launch_from_kernel(Given&&...);

}  // namespace opsmith::gpu

/** What the rewriter writes in place of `<<<...>>>`: the size of the launch, then the kernel. */
#define OPSMITH_LAUNCH(size, name, ...)                                        \
  ::opsmith::gpu::launcher(                                                    \
      size, name,                                                              \
      [&](auto opsmith_take) -> decltype(opsmith_take(__VA_ARGS__)) {          \
        return opsmith_take(__VA_ARGS__);                                      \
      },                                                                       \
      [&](auto&&... opsmith_given) {                                           \
        __VA_ARGS__(static_cast<decltype(opsmith_given)&&>(opsmith_given)...); \
      })

template <typename... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                    void** arguments, std::size_t dynamic_shared = 0,
                                    cudaStream_t stream = nullptr, OPSMITH_CALLER) {
  return ::opsmith::gpu::launch_from_pointers({grid, block, dynamic_shared, stream, false},
                                              "cudaLaunchKernel", site, kernel, arguments,
                                              std::index_sequence_for<Parameters...>{});
}
template <typename... Parameters>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                               void** arguments, std::size_t dynamic_shared = 0,
                                               cudaStream_t stream = nullptr, OPSMITH_CALLER) {
  return ::opsmith::gpu::launch_from_pointers({grid, block, dynamic_shared, stream, true},
                                              "cudaLaunchCooperativeKernel", site, kernel,
                                              arguments, std::index_sequence_for<Parameters...>{});
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
  return ::opsmith::gpu::launch(
      size, "cudaLaunchKernelEx", {}, reinterpret_cast<const void*>(kernel),
      ::opsmith::gpu::Closure<void (*)(Parameters...), Parameters...>{
          kernel, {{static_cast<Parameters>(std::forward<Given>(given))}...}});
}
/** A kernel whose type is lost is found by its address, if it was launched before. */
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared = 0, cudaStream_t stream = nullptr,
                             OPSMITH_CALLER) = delete;
