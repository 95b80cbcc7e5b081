#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "kbsim/hw/traffic/memory_traffic.hpp"

namespace kbsim::report {

/// Lines for people: efficiency, rate, and the latencies of reads and of writes.
[[nodiscard]] std::string to_text(const hw::MemoryTrafficResult& result);

[[nodiscard]] boost::json::object to_json(const hw::MemoryTrafficResult& result);

/// The figures of to_json() in one row; and one row per percentile, with the latencies of reads and of
/// writes.
[[nodiscard]] std::string memory_traffic_csv(const hw::MemoryTrafficResult& result);
[[nodiscard]] std::string memory_latencies_csv(const hw::MemoryTrafficResult& result);

}  // namespace kbsim::report
