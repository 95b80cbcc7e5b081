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

/// The summary of a run at its end.
struct RunSummary {
  Time simulated{};
  std::uint64_t events = 0;
  Digest digest;
  std::chrono::duration<double> wall{};
  Bytes peak_memory{};                  // resident, of the whole process
  Bytes resident{};                     // of tensors that were in their memories at no simulated time
  Bytes race_memory{};                  // race detection's greatest part of it; none if it was off
  std::string_view counted = "events";  // the unit of `events` if nothing was simulated
};

/// Peak memory of this process so far.
[[nodiscard]] Bytes peak_memory();

/// One line for people. Only it has the number of events: a cost, which may differ between runs with equal
/// results.
[[nodiscard]] std::string to_text(const RunSummary& run);

/// Equal runs give equal objects, except for the member "host".
[[nodiscard]] boost::json::object to_json(const RunSummary& run);

[[nodiscard]] std::string to_text(const hw::Attribution& messages);
[[nodiscard]] boost::json::object to_json(const hw::Attribution& messages);

}  // namespace kbsim::report
