#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/sim/causes.hpp"

namespace kbsim::hw {

/// Kinds of orders. The last two are the host's own writes and reads of memory.
enum class OrderPhase : std::uint8_t {
  kernel,
  mmu_map,
  mmu_unmap,
  ipcq_init,
  ipcq_remove,
  pe_dma,
  memory_write,
  memory_read,
};

/// An order that all of its targets have reported, or writes or reads that memories have answered.
/// total = kernel + network.
struct OrderRecord {
  OrderPhase phase = OrderPhase::kernel;
  std::string kernel_name;  // of a launch
  int rank = 0;
  int number = 0;  // among the rank's orders; 0 for writes and reads
  int sip = 0;
  int cubes = 0;
  int pes = 0;  // of all cubes
  int first_pe = 0;
  int last_pe = 0;
  Time sent{};
  Time reported{};
  Activity activity;
  Cause why = {};  // of `reported`, if causes are kept

  /// The enumerator's name.
  [[nodiscard]] std::string_view phase_name() const;
  /// From the host's message to the last report.
  [[nodiscard]] Time total() const { return reported - sent; }
  /// From the first PE's start to the last one's end.
  [[nodiscard]] Time kernel() const { return activity.last_end - activity.first_start; }
  /// The rest: messages there and back.
  [[nodiscard]] Time network() const { return total() - kernel(); }
};

/// The same order, that much later.
[[nodiscard]] OrderRecord shifted(OrderRecord order, Time by);

/// The fields that are known when an order is sent. The job must have targets.
[[nodiscard]] OrderRecord record_of(const ControlJob& job);

}  // namespace kbsim::hw
