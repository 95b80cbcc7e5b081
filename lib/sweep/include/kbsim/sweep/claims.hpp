#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <boost/interprocess/mapped_region.hpp>

namespace kbsim::sweep {

/// Keys that were met, in memory that this process shares with those it forks. A worker that meets a key
/// first simulates it without asking: equal points run once, and others wait for nobody.
class Claims {
 public:
  /// For so many keys.
  explicit Claims(std::size_t keys);

  /// True for one process alone. False: somebody has met it, or another key that looks alike.
  [[nodiscard]] bool claim(std::string_view key);

 private:
  boost::interprocess::mapped_region memory_;
  std::span<std::atomic<std::uint64_t>> entries_;  // hashes, where one begins to look by its own; 0: free
};

}  // namespace kbsim::sweep
