#include "runtime/timing/shared_inputs.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace opsmith {
namespace {

using Impl = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
// What decides over the values of a dense input.
using InputKey = std::tuple<std::vector<int64_t>, std::string, std::string, Distribution, int64_t,
                            bool, std::optional<double>, std::optional<double>,
                            std::optional<double>, std::optional<double>>;

struct Shared {
  Impl tensor;
  int64_t version;
};

}  // namespace

at::Tensor shared_input(const InputSpec& spec) {
  if (!spec.shape || !spec.seed || spec.values || !is_strided(spec)) return make_input(spec);
  static std::map<InputKey, Shared> all;
  for (auto one = all.begin(); one != all.end();)
    one = one->second.tensor.expired() ? all.erase(one) : std::next(one);
  const InputKey key{*spec.shape,        spec.dtype, spec.device, spec.distribution, *spec.seed,
                     spec.requires_grad, spec.low,   spec.high,   spec.mean,         spec.std};
  const auto found = all.find(key);
  if (found != all.end()) {
    auto impl = found->second.tensor.lock();
    if (impl.defined()) {
      at::Tensor tensor(std::move(impl));
      if (tensor._version() == found->second.version) return tensor;
    }
  }
  auto tensor = make_input(spec);
  all.insert_or_assign(key, Shared{Impl(tensor.getIntrusivePtr()), tensor._version()});
  return tensor;
}

}  // namespace opsmith
