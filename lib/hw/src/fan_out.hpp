#pragma once

#include <map>

#include "kbsim/hw/component.hpp"

namespace kbsim::hw {

/// A CPU on the way of an order from the host to the PEs: it tells those below it their parts and reports
/// back when all of them have. Its overhead applies to all that it says.
class FanOut : public Component {
 public:
  using Component::Component;

 protected:
  struct Part {
    NodeId to;
    std::size_t first;
    std::size_t last;
  };
  [[nodiscard]] virtual std::vector<Part> split(const Control& order) const = 0;

 private:
  struct Open {
    NodeId from;
    std::uint32_t token;
    std::size_t parts_left;
    Activity activity;
  };
  void accept(MessagePtr message) override;
  void pass_on(NodeId from, const Control& order);
  void count(const ControlDone& done);

  std::map<std::uint32_t, Open> open_;
  std::uint32_t next_token_ = 0;
};

}  // namespace kbsim::hw
