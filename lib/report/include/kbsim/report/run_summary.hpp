#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/digest.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/fabric.hpp"

namespace kbsim::report {

/// What every run says of itself at its end.
struct RunSummary {
  Time simulated{};
  std::uint64_t events = 0;
  Digest digest;
  std::chrono::duration<double> wall{};
  Bytes peak_memory{};  // resident, of the whole process
  Bytes resident{};     // of tensors that were in their memories at no simulated time
  Bytes race_memory{};  // of the peak that the look for races held at most; none if nobody looked
  std::string_view counted = "events";  // what `events` counts, where there are none of a simulation
};

/// The most memory that this process has held so far.
[[nodiscard]] Bytes peak_memory();

/// One line for people, the only place of the number of events: a cost, which may differ where no result
/// does.
[[nodiscard]] std::string to_text(const RunSummary& run);

/// Equal runs give equal objects, but for the member "host".
[[nodiscard]] boost::json::object to_json(const RunSummary& run);

[[nodiscard]] std::string to_text(const hw::Attribution& messages);
[[nodiscard]] boost::json::object to_json(const hw::Attribution& messages);

}  // namespace kbsim::report
