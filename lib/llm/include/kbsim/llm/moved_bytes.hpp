#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim::inference {

/// Contents of a tensor, for the counts of an operation's bytes.
enum class Held : std::uint8_t { other, weights, cache };

/// Bytes that commands of launches moved: contents alone, without requests, acknowledgements, credits and
/// headers. A byte counts at each link that it crosses. Times are those of the busiest unit of a kind at its
/// full rate; of several launches, their sum.
struct MovedBytes {
  std::int64_t weights_read = 0;  // from HBM, as the next four
  std::int64_t cache_read = 0;
  std::int64_t cache_written = 0;
  std::int64_t other_read = 0;  // activations, logits, ids, tables of positions
  std::int64_t other_written = 0;
  std::int64_t tcm_read = 0;     // from TCM to a TCM, as an operand of a load
  std::int64_t tcm_written = 0;  // to TCM, by stores and sends
  std::int64_t noc = 0;          // over links between routers of a cube
  std::int64_t ucie = 0;
  std::int64_t package = 0;  // over links between packages
  Time hbm_busy{};           // a PE's slice
  Time tcm_busy{};           // a port of a TCM
  Time noc_busy{};           // a link of a cube, ports of PEs and of the crossbar included
  Time ucie_busy{};
  Time package_busy{};

  [[nodiscard]] std::int64_t hbm_read() const { return weights_read + cache_read + other_read; }
  [[nodiscard]] std::int64_t hbm_written() const { return cache_written + other_written; }
  [[nodiscard]] std::int64_t hbm() const { return hbm_read() + hbm_written(); }
  MovedBytes& operator+=(const MovedBytes& more);
  friend bool operator==(const MovedBytes&, const MovedBytes&) = default;
};

}  // namespace kbsim::inference
