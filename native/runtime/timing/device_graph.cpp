#include "runtime/timing/device_graph.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstdint>

#include "runtime/failure.h"
#include "runtime/timing/driver_library.h"
#if __has_include(<ATen/accelerator/Graph.h>)
#include <ATen/accelerator/Graph.h>
#define OPSMITH_HAS_GENERIC_GRAPHS
#endif

// Of libtorch's CUDA library, in its C interface that stays as it is. Weak: a CPU build has none.
extern "C" __attribute__((weak)) int32_t aoti_torch_get_current_cuda_stream(int32_t device_index,
                                                                            void** ret_stream);

namespace opsmith {
namespace {

#ifdef OPSMITH_HAS_GENERIC_GRAPHS
class GenericGraph final : public DeviceGraph {
 public:
  void begin() override { graph_.capture_begin(); }
  void end() override { graph_.capture_end(); }
  void replay() override { graph_.replay(); }

 private:
  at::accelerator::Graph graph_;
};
#endif

// The part of cuda.h that is used (since CUDA 11.4): CUresult and the enumerations are int there, 0
// is CUDA_SUCCESS, and handles are pointers.
struct GraphDriver {
  // What libtorch's allocator may ask for meanwhile is allowed: CU_STREAM_CAPTURE_MODE_RELAXED.
  static constexpr int relaxed = 2;

  DriverLibrary library{"libcuda.so.1"};
  int (*begin)(void*, int) = library.find<int(void*, int)>("cuStreamBeginCapture_v2");
  int (*end)(void*, void**) = library.find<int(void*, void**)>("cuStreamEndCapture");
  int (*nodes)(void*, void**,
               size_t*) = library.find<int(void*, void**, size_t*)>("cuGraphGetNodes");
  int (*instantiate)(void**, void*, unsigned long long) =
      library.find<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags");
  int (*launch)(void*, void*) = library.find<int(void*, void*)>("cuGraphLaunch");
  int (*destroy)(void*) = library.find<int(void*)>("cuGraphDestroy");
  int (*destroy_instance)(void*) = library.find<int(void*)>("cuGraphExecDestroy");
  int (*text)(int, const char**) = library.find<int(int, const char**)>("cuGetErrorString");

  std::string missing() const {
    if (const auto absent = library.missing(); !absent.empty()) return absent;
    const bool complete =
        begin && end && nodes && instantiate && launch && destroy && destroy_instance && text;
    return complete ? "" : "CUDA graphs need an NVIDIA driver for CUDA 11.4 or newer";
  }
  // Throws Failure for an error of what `doing` says.
  void check(int error, const char* doing) const {
    if (error == 0) return;
    const char* meaning = nullptr;
    text(error, &meaning);
    throw Failure(ErrorCode::operator_check,
                  std::string("the call cannot be ") + doing + ": NVIDIA’s driver reports “" +
                      (meaning ? meaning : "error " + std::to_string(error)) + "”");
  }
};

const GraphDriver& driver() {
  static const GraphDriver found;
  return found;
}

// A stream knows its own handle in newer versions of libtorch (2.13 does).
template <typename Stream>
auto handle_of(const Stream& current, int /*preferred*/) -> decltype(current.native_handle()) {
  return current.native_handle();
}

template <typename Stream>
void* handle_of(const Stream& current, long /*otherwise*/) {
  void* handle = nullptr;
  const bool is_known = aoti_torch_get_current_cuda_stream != nullptr &&
                        aoti_torch_get_current_cuda_stream(current.device_index(), &handle) == 0;
  if (!is_known) throw Failure(ErrorCode::operator_check, "this libtorch has no CUDA streams");
  return handle;
}

// Memory that calls take during a capture goes back to libtorch's allocator, as always; as long as
// this graph is replayed nothing else may be allocated on its stream.
class CudaGraph final : public DeviceGraph {
 public:
  explicit CudaGraph(at::Device device) : device_(device), guard_(device.type()) {}
  ~CudaGraph() override {
    if (instance_ != nullptr) driver().destroy_instance(instance_);
    if (graph_ != nullptr) driver().destroy(graph_);
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void begin() override {
    driver().check(driver().begin(stream(), GraphDriver::relaxed), "captured");
  }
  void end() override {
    driver().check(driver().end(stream(), &graph_), "captured");
    driver().check(driver().nodes(graph_, nullptr, &size_), "captured");
    driver().check(driver().instantiate(&instance_, graph_, 0), "replayed");
  }
  void replay() override { driver().check(driver().launch(instance_, stream()), "replayed"); }
  std::optional<size_t> size() const override { return size_; }

 private:
  void* stream() const { return handle_of(guard_.getStream(device_), 0); }

  at::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  void *graph_ = nullptr, *instance_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

MadeGraph make_graph(at::Device device) {
#ifdef OPSMITH_HAS_GENERIC_GRAPHS
  if (at::has_graph_impl(device.type())) return {std::make_unique<GenericGraph>(), ""};
#endif
  if (!device.is_cuda()) return {nullptr, "libtorch has no CUDA graphs for " + device.str()};
  if (const auto missing = driver().missing(); !missing.empty()) return {nullptr, missing};
  return {std::make_unique<CudaGraph>(device), ""};
}

}  // namespace opsmith
