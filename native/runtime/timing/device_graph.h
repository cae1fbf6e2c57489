// Captures calls into a graph, which a device replays without a launch for each kernel.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace opsmith {

// All on the current stream, which must not be the default one. After an exception the graph is
// unusable; `end` must still be called if `begin` did not throw.
class DeviceGraph {
 public:
  DeviceGraph() = default;
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;
  virtual ~DeviceGraph() = default;

  virtual void begin() = 0;
  virtual void end() = 0;
  virtual void replay() = 0;
  // Kernels, copies and fills in it; absent if the backend does not report it.
  virtual std::optional<size_t> size() const { return std::nullopt; }
};

struct MadeGraph {
  std::unique_ptr<DeviceGraph> graph;  // nullptr where there is none
  std::string missing;                 // why; "" else
};
// By libtorch's generic interface where the backend has registered with it (2.13 on). CUDA has not:
// its graphs are made by the driver.
MadeGraph make_graph(at::Device device);

}  // namespace opsmith
