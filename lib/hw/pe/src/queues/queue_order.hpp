#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue_unit.hpp"

namespace kbsim::hw {

/// An order about some sets of queues, which takes until they are empty, and the receiver of its report.
struct QueueOrder {
  std::vector<std::string> sets;
  NodeId from;
  std::uint32_t token = 0;
  Time start;
};

/// The order is done now.
void report_done(const QueueUnit& unit, const QueueOrder& order);

}  // namespace kbsim::hw
