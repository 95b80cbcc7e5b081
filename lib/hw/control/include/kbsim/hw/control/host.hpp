#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/race_watch.hpp"
#include "kbsim/oplog/op.hpp"
#include "kbsim/sim/event.hpp"

namespace kbsim::hw {

struct HostSpec {
  static void describe(FieldList<HostSpec>&) {}
};

/// The root complex: its messages are all that the machine hears of host programs.
class Host : public Component, public IHost {
 public:
  Host(Fabric& fabric, NodeId id, HostSpec) : Component{fabric, id} {}

  void start(Machine& machine) override;

  [[nodiscard]] Task<> write(int rank, NodeId memory, std::int64_t address, oplog::Slice contents) override;
  [[nodiscard]] Task<oplog::Slices> read(int rank, NodeId memory, std::int64_t address, Bytes bytes) override;
  [[nodiscard]] Task<Activity> order(int rank, int sip, std::shared_ptr<const ControlJob> job) override;
  [[nodiscard]] std::vector<OpenOrder> open_orders() const override;

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
