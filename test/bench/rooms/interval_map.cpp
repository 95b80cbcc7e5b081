// Compares MemoryImage with boost::icl::interval_map under the two ways a simulation writes memory:
//   kbsim_bench_rooms --test-case="*memory image"
#include <chrono>
#include <random>

#include <boost/icl/interval_map.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::oplog {
namespace {

/// Which value an address range holds, as ICL's associated type: it overwrites instead of adding up.
struct Holding {
  ValueId value;
  std::int64_t shift = 0;
  friend bool operator==(const Holding&, const Holding&) = default;
};

class IclImage {
  using Map = boost::icl::interval_map<std::int64_t, Holding, boost::icl::partial_enricher>;
  using Interval = boost::icl::right_open_interval<std::int64_t>;

 public:
  void write(std::int64_t address, const Slice& slice) {
    map_.set({Map::interval_type::right_open(address, address + slice.bytes),
              {slice.value, slice.offset - address}});
  }
  [[nodiscard]] Slices read(std::int64_t address, std::int64_t bytes) const {
    Slices found;
    const auto window = Map::interval_type::right_open(address, address + bytes);
    const auto [first, last] = map_.equal_range(window);
    for (auto it = first; it != last; ++it) {
      const std::int64_t from = std::max(it->first.lower(), address);
      const std::int64_t to = std::min(it->first.upper(), address + bytes);
      found.push_back({it->second.value, from + it->second.shift, to - from});
    }
    return found;
  }

 private:
  Map map_;
};

struct Access {
  std::int64_t address;
  std::int64_t bytes;
};

/// Tiles written one after another, over and over, as a ring of slots or a tensor is.
std::vector<Access> sequential(std::size_t count) {
  std::vector<Access> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({static_cast<std::int64_t>(i % 1024) * 4096, 4096});
  return all;
}

/// Ranges of any size anywhere in 16 MiB.
std::vector<Access> scattered(std::size_t count) {
  std::mt19937 random{1};
  std::vector<Access> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(
        {static_cast<std::int64_t>(random() % (16U << 20)), 1 + static_cast<std::int64_t>(random() % 8192)});
  }
  return all;
}

template <class Image>
double nanoseconds(const std::vector<Access>& accesses) {
  const auto start = std::chrono::steady_clock::now();
  Image image;
  std::uint32_t seq = 0;
  std::int64_t slices = 0;
  for (const Access& access : accesses) {
    image.write(access.address, {{0, seq++}, 0, access.bytes});
    slices += static_cast<std::int64_t>(image.read(access.address / 2, access.bytes).size());
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  CHECK(slices > 0);
  return took.count() / static_cast<double>(accesses.size());
}

void compare(std::string_view name, const std::vector<Access>& accesses) {
  double ours = 1e18;
  double icl = 1e18;
  for (int repeat = 0; repeat < 5; ++repeat) {
    ours = std::min(ours, nanoseconds<MemoryImage>(accesses));
    icl = std::min(icl, nanoseconds<IclImage>(accesses));
  }
  fmt::print("{:<24}  std::map {:6.0f} ns   icl {:6.0f} ns   icl/map {:.2f}\n", name, ours, icl, icl / ours);
}

TEST_CASE("Benchmark: a write and a read of a memory image") {
  compare("sequential overwrites", sequential(500'000));
  compare("random overwrites", scattered(500'000));
}

}  // namespace
}  // namespace kbsim::oplog
