#pragma once

#include <map>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {

/// A CPU on the way of an order from the host to the PEs: it tells those below it their parts and reports
/// back when all of them have. So it does when all stand in a barrier; the first of such CPUs then lets them
/// go on. Where a kernel was given up, it tells the launch's others. Its overhead applies to all that it
/// says.
class FanOut : public Component {
 public:
  using Component::Component;
  void start(Machine& machine) override;

 protected:
  struct Part {
    NodeId to;
    std::size_t first;
    std::size_t last;
  };
  [[nodiscard]] virtual std::vector<Part> split(const Control& order) const = 0;
  /// Nobody above has other parts of the order for this package.
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
    std::map<std::uint32_t, std::size_t> in_barrier;  // parts, by its number
  };
  void accept(MessagePtr message) override;
  void pass_on(NodeId from, const Control& order);
  void count(const ControlDone& done);
  void include_cause(const Open& open) const;
  void require_received(const Control& ended);
  void reached(const BarrierReached& barrier);
  void passed(NodeId from, const BarrierPassed& barrier);
  void let_pass(std::uint32_t token, const Open& open, std::uint32_t number);
  void give_up(std::uint32_t token, Open& open);
  /// The order that came with this token; the end if it is done.
  [[nodiscard]] std::map<std::uint32_t, Open>::iterator find(NodeId from, std::uint32_t token);

  Machine* machine_ = nullptr;
  std::map<std::uint32_t, Open> open_;
  std::uint32_t next_token_ = 0;
};

}  // namespace kbsim::hw
