#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/order_record.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

class Machine;

/// The wait for the PEs' reports on a rank's order; `number` counts the rank's orders from 1.
struct OrderWait {
  int rank = 0;
  int number = 0;
  [[nodiscard]] std::string text() const;
  friend auto operator<=>(const OrderWait&, const OrderWait&) = default;
};

/// An order that not all of its targets have reported.
struct OpenOrder {
  OrderWait wait;
  std::shared_ptr<const ControlJob> job;
};

/// Number of an order among the rank's orders, and of a launch among its launches; both from 1. `launch` 0:
/// not a launch.
struct OrderNumber {
  int order = 0;
  std::uint32_t launch = 0;
};

/// Interface of host programs to the machine. `rank` is the calling program; calls of several ranks at one
/// time leave in rank order. Every message is sent at the call, awaited or not.
class IHost {
 public:
  virtual ~IHost() = default;

  /// MemoryWrite: done when the memory has acknowledged; `held` stays alive until then.
  [[nodiscard]] virtual Task<> write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents,
                                     std::shared_ptr<const void> held) = 0;
  [[nodiscard]] Task<> write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents) {
    return write(rank, memory, address, contents, nullptr);
  }
  /// MemoryRead: what the memory held when the request arrived.
  [[nodiscard]] virtual Task<oplog::Slices> read(int rank, NodeId memory, std::int64_t address,
                                                 Bytes bytes) = 0;
  /// KernelLaunch, MmuMap, IpcqInit or PeDma: done when every target has reported back. A rank's orders to
  /// one package at one time leave in the order of its calls.
  [[nodiscard]] virtual Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job) = 0;
  /// Number of the rank's next launch, which is ordered later. Launches of one time leave in the order of
  /// their numbers.
  [[nodiscard]] virtual OrderNumber number_launch(int rank) = 0;
  [[nodiscard]] virtual Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job,
                                             OrderNumber number) = 0;
  /// The caller no longer awaits the order of this job, if there is one: `what` its kernels use stays alive
  /// until every target has reported back.
  virtual void abandon(const std::shared_ptr<const ControlJob>& job,
                       std::vector<std::shared_ptr<const void>> what) = 0;

  /// Sorted by first PE, then in the order of the calls.
  [[nodiscard]] virtual std::vector<OpenOrder> open_orders() const = 0;
  /// Finished orders, writes and reads, sorted by the time when they were sent, rank, number, phase and
  /// package. Writes, or reads, of one rank, package and time are one record.
  [[nodiscard]] virtual std::vector<OrderRecord> orders() const = 0;
};

/// The host of a machine.
[[nodiscard]] IHost& host_of(Machine& machine);

}  // namespace kbsim::hw
