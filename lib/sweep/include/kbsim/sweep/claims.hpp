#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <boost/interprocess/mapped_region.hpp>

namespace kbsim::sweep {

/// Keys that were met, in memory that this process shares with its forks. The worker that meets a key first
/// simulates it without asking: equal points run once, and no other worker waits.
class Claims {
 public:
  /// Room for this number of keys.
  explicit Claims(std::size_t keys);

  /// True for one process alone. False: another process has met the key, or a key with the same hash.
  [[nodiscard]] bool claim(std::string_view key);

 private:
  boost::interprocess::mapped_region memory_;
  std::span<std::atomic<std::uint64_t>> entries_;  // hashes, each searched for from its own place on; 0: free
};

}  // namespace kbsim::sweep
