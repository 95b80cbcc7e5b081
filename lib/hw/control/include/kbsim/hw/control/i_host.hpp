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

/// The wait for the PEs' reports on an order of a rank, of which it has given `number`.
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

/// Which of a rank's orders it is, and of these that are launches, from 1.
struct OrderNumber {
  int order = 0;
  std::uint32_t launch = 0;
};

/// What host programs reach the machine by. `rank` says which program speaks; what several say at one time
/// goes out in the order of their ranks. All is sent at the call, awaited or not.
class IHost {
 public:
  virtual ~IHost() = default;

  /// MemoryWrite: done when the memory has acknowledged; what it works on is `held` until then.
  [[nodiscard]] virtual Task<> write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents,
                                     std::shared_ptr<const void> held) = 0;
  [[nodiscard]] Task<> write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents) {
    return write(rank, memory, address, contents, nullptr);
  }
  /// MemoryRead: what the memory held when the request arrived.
  [[nodiscard]] virtual Task<oplog::Slices> read(int rank, NodeId memory, std::int64_t address,
                                                 Bytes bytes) = 0;
  /// KernelLaunch, MmuMap, IpcqInit or PeDma: done when every target has reported back. What a rank orders of
  /// one package at one time goes out in the order of its calls.
  [[nodiscard]] virtual Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job) = 0;
  /// The rank's next launch, which is ordered later: at one time it goes out before what was called after it.
  [[nodiscard]] virtual OrderNumber number_launch(int rank) = 0;
  [[nodiscard]] virtual Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job,
                                             OrderNumber number) = 0;
  /// Nobody awaits the order of this job any more, if it was given: `what` its kernels work on is held until
  /// every target has reported back.
  virtual void abandon(const std::shared_ptr<const ControlJob>& job,
                       std::vector<std::shared_ptr<const void>> what) = 0;

  /// In the order in which they were given.
  [[nodiscard]] virtual std::vector<OpenOrder> open_orders() const = 0;
  /// Orders that are done, in the order of times, ranks and calls.
  [[nodiscard]] virtual std::vector<OrderRecord> orders() const = 0;
};

/// The host of a machine.
[[nodiscard]] IHost& host_of(Machine& machine);

}  // namespace kbsim::hw
