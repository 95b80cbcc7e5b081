#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kbsim::sweep {

/// A worker's report at a point's end.
struct PointReply {
  int exit = 0;
  std::uint64_t events = 0;
  double simulating = 0.0;
  double busy = 0.0;
  bool is_short = false;  // of memory
  std::string digest;
};

/// Reads "done EXIT EVENTS SIMULATING BUSY SHORT DIGEST"; none if the line is another.
[[nodiscard]] std::optional<PointReply> reply_in(std::string_view line);

}  // namespace kbsim::sweep
