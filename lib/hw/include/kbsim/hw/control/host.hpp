#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/event.hpp"

namespace kbsim::hw {

struct HostSpec {
  static void describe(FieldList<HostSpec>&) {}
};

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

/// The root complex: host programs reach the machine by its messages and by nothing else. `rank` says
/// which program speaks; what several say at one time goes out in the order of their ranks.
class Host : public Component {
 public:
  Host(Fabric& fabric, NodeId id, HostSpec) : Component{fabric, id} {}

  void start(Machine& machine) override;

  /// MemoryWrite: done when the memory has acknowledged.
  [[nodiscard]] Task<> write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents);
  /// MemoryRead: what the memory held when its turn came.
  [[nodiscard]] Task<oplog::Slices> read(int rank, NodeId memory, std::int64_t address, Bytes bytes);
  /// KernelLaunch, MmuMap or IpcqInit: done when every target has reported back. Given at the call, awaited
  /// or not: what a rank orders of one package at one time goes out in the order of its calls.
  [[nodiscard]] Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job);

  /// In the order in which they were given.
  [[nodiscard]] std::vector<OpenOrder> open_orders() const;

 private:
  struct Call {
    Event done;
    oplog::Slices contents;
    Activity activity;
    OrderWait wait = {};                              // of an order
    std::shared_ptr<const ControlJob> job = nullptr;  // of an order
  };
  using Calls = std::map<Token, std::unique_ptr<Call>>;
  Task<Activity> reported(Token token);
  void accept(MessagePtr message) override;
  Calls::value_type& call(const Identity& what);

  RaceWatch* races_ = nullptr;
  Calls calls_;
  Token next_token_ = 0;
  std::map<int, int> orders_;  // so far, by rank
};

}  // namespace kbsim::hw
