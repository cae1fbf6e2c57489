#include "requests.h"

#include <algorithm>
#include <bit>

namespace opsmith::gpu {

namespace {

/** Different numbers; most come in order. */
class Distinct {
 public:
  void add(std::uint64_t value) {
    if (count_ > 0 && values_[count_ - 1] == value) return;
    for (std::uint32_t index = 0; index < count_; ++index)
      if (values_[index] == value) return;
    values_[count_++] = value;
  }
  std::uint32_t count() const { return count_; }
  std::uint64_t at(std::uint32_t index) const { return values_[index]; }

 private:
  // 32 lanes of 16 bytes: at most two sectors or five words each.
  std::uint64_t values_[5 * lanes_of_warp];
  std::uint32_t count_ = 0;
};

template <typename Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1)
    visit(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

std::uint32_t sectors_of(const Request& request, const std::uint8_t* bytes) {
  Distinct sectors;
  for_each_lane(request.lanes, [&](std::uint32_t lane) {
    const std::uint64_t last = (request.address[lane] + bytes[lane] - 1) / sector_bytes;
    for (std::uint64_t at = request.address[lane] / sector_bytes; at <= last; ++at)
      sectors.add(at);
  });
  return sectors.count();
}

/** Passes that these lanes need: the most different words in one bank. */
std::uint32_t passes_of(const Request& request, const std::uint8_t* bytes, std::uint32_t lanes) {
  Distinct words;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const std::uint64_t last = (request.address[lane] + bytes[lane] - 1) / bank_bytes;
    for (std::uint64_t at = request.address[lane] / bank_bytes; at <= last; ++at)
      words.add(at);
  });
  std::uint32_t in_bank[banks] = {};
  std::uint32_t most = 0;
  for (std::uint32_t index = 0; index < words.count(); ++index)
    most = std::max(most, ++in_bank[words.at(index) % banks]);
  return most;
}

}  // namespace

void RequestSums::add(const RequestSums& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  wavefronts += other.wavefronts;
  least += other.least;
  addresses += other.addresses;
  serial += other.serial;
}

bool is_vector(const Request& request) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(request.lanes));
  const std::uint8_t size = request.wide[first];
  if (!std::has_single_bit(size) || size > widest_access) return false;
  bool same = true;
  for_each_lane(request.lanes, [&](std::uint32_t lane) {
    same = same && request.wide[lane] == size && request.address[lane] % size == 0;
  });
  return same;
}

void add_request(RequestSums& sums, const Request& request, Space space, bool is_atomic,
                 bool wide) {
  const std::uint8_t* bytes = wide ? request.wide : request.bytes;
  ++sums.requests;
  sums.lanes += static_cast<std::uint64_t>(std::popcount(request.lanes));
  std::uint32_t largest = 1;
  for_each_lane(request.lanes, [&](std::uint32_t lane) {
    sums.bytes += bytes[lane];
    largest = std::max<std::uint32_t>(largest, bytes[lane]);
  });
  if (is_atomic) {
    Distinct addresses;
    std::uint32_t at_address[lanes_of_warp] = {};
    std::uint32_t most = 0;
    for_each_lane(request.lanes, [&](std::uint32_t lane) {
      addresses.add(request.address[lane]);
      for (std::uint32_t index = 0; index < addresses.count(); ++index)
        if (addresses.at(index) == request.address[lane])
          most = std::max(most, ++at_address[index]);
    });
    sums.addresses += addresses.count();
    sums.serial += most;
  }
  if (space == Space::global) sums.sectors += sectors_of(request, bytes);
  if (space != Space::shared || is_atomic) return;
  // A pass serves 128 bytes: 8 bytes go by halves of the warp, 16 bytes by quarters.
  const std::uint32_t together = std::min(lanes_of_warp, 128 / largest);
  const std::uint32_t group = together >= lanes_of_warp ? all_lanes : (1U << together) - 1U;
  for (std::uint32_t first = 0; first < lanes_of_warp; first += together) {
    const std::uint32_t lanes = request.lanes & group << first;
    if (lanes == 0) continue;
    sums.wavefronts += passes_of(request, bytes, lanes);
    ++sums.least;
  }
}

}  // namespace opsmith::gpu
