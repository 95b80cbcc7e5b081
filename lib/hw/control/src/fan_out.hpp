#pragma once

#include <map>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"

namespace kbsim::hw {

/// A CPU between the host and the PEs. It sends the parts of an order downstream and reports upstream when
/// all parts have reported. Barriers are reported likewise; the first CPU (see first()) releases them. When a
/// kernel is given up, the launch's other parts are informed. Its overhead applies to every message that it
/// sends.
class FanOut : public Component, public IRepeatable {
 public:
  using Component::Component;
  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;
  void visit(RepeatVisitor& visitor) override { visitor.rests(open_.empty()); }

 protected:
  struct Part {
    NodeId to;
    std::size_t first;
    std::size_t last;
  };
  [[nodiscard]] virtual std::vector<Part> split(const Control& order) const = 0;
  /// True if no CPU upstream has other parts of the order for this package.
  [[nodiscard]] virtual bool first() const { return false; }

 private:
  struct Open {
    NodeId from;
    std::uint32_t token;
    Control order;
    std::vector<NodeId> parts;
    std::size_t parts_left;
    Activity activity;
    bool given_up = false;
    std::map<std::uint32_t, std::size_t> in_barrier;  // number of parts, by barrier
  };
  void pass_on(NodeId from, const Control& order);
  void count(const ControlDone& done);
  void include_cause(const Open& open) const;
  void require_received(const Control& ended);
  void reached(const BarrierReached& barrier);
  void passed(NodeId from, const BarrierPassed& barrier);
  void let_pass(std::uint32_t token, const Open& open, std::uint32_t number);
  void give_up(NodeId from, std::uint32_t token);
  void give_up(std::uint32_t token, Open& open);
  /// The order that arrived from `from` with this token; end() if it is done.
  [[nodiscard]] std::map<std::uint32_t, Open>::iterator find(NodeId from, std::uint32_t token);

  Machine* machine_ = nullptr;
  std::map<std::uint32_t, Open> open_;
  std::uint32_t next_token_ = 0;
};

}  // namespace kbsim::hw
