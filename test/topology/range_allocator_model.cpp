#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/range_allocator.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

constexpr std::uint64_t kFirst = 1000;

/// A model of RangeAllocator, byte by byte.
class ByteModel {
 public:
  explicit ByteModel(std::size_t size) : taken_(size, false) {}

  /// The first aligned address with `size` free bytes; 0 if there is none.
  std::uint64_t allocate(std::size_t size, std::size_t alignment) {
    for (std::size_t at = 0; at + size <= taken_.size(); ++at) {
      if ((kFirst + at) % alignment == 0 && is_free(at, size)) {
        set(at, size, true);
        return kFirst + at;
      }
    }
    return 0;
  }
  void free(std::uint64_t address, std::size_t size) { set(address - kFirst, size, false); }

  std::int64_t free_bytes() const { return std::ranges::count(taken_, false); }
  std::int64_t largest_free() const {
    std::int64_t best = 0;
    std::int64_t run = 0;
    for (const bool taken : taken_) best = std::max(best, run = taken ? 0 : run + 1);
    return best;
  }

 private:
  bool is_free(std::size_t at, std::size_t size) const {
    for (std::size_t i = at; i < at + size; ++i) {
      if (taken_[i]) return false;
    }
    return true;
  }
  void set(std::size_t at, std::size_t size, bool taken) {
    for (std::size_t i = at; i < at + size; ++i) taken_[i] = taken;
  }
  std::vector<bool> taken_;
};

void run_program(unsigned seed) {
  CAPTURE(seed);
  std::mt19937 random{seed};
  const std::size_t size = 1 + random() % 300;
  RangeAllocator ranges{"m", kFirst, Bytes{static_cast<std::int64_t>(size)}};
  ByteModel model{size};
  std::vector<std::pair<std::uint64_t, std::size_t>> live;
  for (int step = 0; step < 200; ++step) {
    if (!live.empty() && random() % 5 < 2) {
      std::swap(live[random() % live.size()], live.back());
      ranges.free(live.back().first);
      model.free(live.back().first, live.back().second);
      live.pop_back();
    } else {
      const std::size_t n = 1 + random() % 40;
      const std::size_t alignment = 1 + random() % 16;
      const std::uint64_t expected = model.allocate(n, alignment);
      const auto allocate = [&] {
        return ranges.allocate(Bytes{static_cast<std::int64_t>(n)},
                               Bytes{static_cast<std::int64_t>(alignment)});
      };
      if (expected == 0) {
        CHECK_THROWS_AS((void)allocate(), AllocationError);
      } else {
        CHECK(allocate() == expected);
        live.emplace_back(expected, n);
      }
    }
    CHECK(ranges.free_bytes() == Bytes{model.free_bytes()});
    CHECK(ranges.largest_free() == Bytes{model.largest_free()});
  }
}

}  // namespace

TEST_CASE("RangeAllocator: does what a byte-by-byte model does, over random programs") {
  for (unsigned seed = 0; seed < 100; ++seed) run_program(seed);
}
