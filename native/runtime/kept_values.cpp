#include "runtime/kept_values.h"

#include <ATen/ops/clone.h>

#include <list>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/content_hash.h"

namespace opsmith {
namespace {

// What decides over drawn values.
using Key =
    std::tuple<std::vector<int64_t>, std::string, Distribution, int64_t, std::optional<double>,
               std::optional<double>, std::optional<double>, std::optional<double>>;

struct Kept {
  Key key;
  at::Tensor values;
  std::string hash;
};

constexpr size_t most_inputs = 16;
constexpr size_t most_bytes = size_t{1} << 20;  // of one input

}  // namespace

at::Tensor drawn_values(const InputSpec& spec, const std::function<at::Tensor()>& draw) {
  if (!spec.shape) return draw();
  thread_local std::list<Kept> kept;  // the last used first
  const Key key{*spec.shape, spec.dtype, spec.distribution, spec.seed.value_or(spec.position),
                spec.low,    spec.high,  spec.mean,         spec.std};
  for (auto one = kept.begin(); one != kept.end(); ++one) {
    if (one->key != key) continue;
    auto copy = one->values.clone();
    if (content_hash({copy}) != one->hash) {
      kept.erase(one);
      break;
    }
    kept.splice(kept.begin(), kept, one);
    return copy;
  }
  auto drawn = draw();
  if (drawn.nbytes() > most_bytes) return drawn;
  kept.push_front({key, drawn.clone(), content_hash({drawn})});
  if (kept.size() > most_inputs) kept.pop_back();
  return drawn;
}

}  // namespace opsmith
