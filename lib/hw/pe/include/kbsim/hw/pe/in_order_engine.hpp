#pragma once

#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/i_engine.hpp"
#include "kbsim/oplog/log.hpp"

namespace kbsim::hw {

/// An engine that is a single server in program order: start = max(earliest, free). One event retires a
/// command at its end, when it is recorded. A model derives from it and says what commands cost.
class InOrderEngine : public Component, public virtual IEngine {
 public:
  InOrderEngine(Fabric& fabric, NodeId id);

  void start(Machine& machine) override;

  [[nodiscard]] Time issue(Time earliest, Time cost, oplog::Op op) override;
  [[nodiscard]] Task<Time> occupy(std::array<std::uint64_t, 2> order, Time cost) override;
  [[nodiscard]] Time free() const override { return free_; }
  [[nodiscard]] NodeId unit() const override { return id(); }
  [[nodiscard]] std::vector<UnitUse> use() const override { return {use_}; }

 protected:
  /// `op` is recorded at `at`, or now if that is past, and takes no time; returns when.
  Time retire_at(Time at, oplog::Op op);

 private:
  // A request to occupy it; stays where it is until it is served.
  struct Work {
    std::array<std::uint64_t, 2> order;
    Time cost{};
    Time end{};  // known once it is served
  };
  void serve();
  Task<> retire(oplog::OpLog* log);

  Time free_{};
  std::vector<Work*> asked_;
  UnitUse use_;
  Mailbox<oplog::Op> retired_;
};

}  // namespace kbsim::hw
