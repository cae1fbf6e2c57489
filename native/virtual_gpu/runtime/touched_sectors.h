// Sectors of global memory that a launch touches, each once: what has to move even if a cache keeps
// all that was read.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "requests.h"

namespace opsmith::gpu {

class TouchedSectors {
 public:
  void add(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t last = (address + bytes - 1) / sector_bytes;
    for (std::uint64_t sector = address / sector_bytes; sector <= last; ++sector) {
      if (sector / page_sectors != number_ || page_ == nullptr) open(sector / page_sectors);
      page_->bits[sector % page_sectors / 64] |= std::uint64_t{1} << sector % 64;
    }
  }

  /** How many, and none from now on. */
  std::uint64_t take() {
    std::uint64_t count = 0;
    for (const auto& [number, page] : pages_)
      for (const std::uint64_t bits : page->bits)
        count += static_cast<std::uint64_t>(std::popcount(bits));
    pages_.clear();
    page_ = nullptr;
    return count;
  }

 private:
  static constexpr std::uint64_t page_sectors = 4096;
  struct Page {
    std::uint64_t bits[page_sectors / 64] = {};
  };

  void open(std::uint64_t number) {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    page_ = page.get();
    number_ = number;
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  /** The one that was used last: most accesses are near. */
  Page* page_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace opsmith::gpu
