#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_border.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/sim/windows.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

/// Takes what the host changes in a package at once to the package's process.
class ChangeBorder final : public Border<std::function<void()>> {
 public:
  using Border::Border;

 private:
  void arrives(std::function<void()>& change) override { change(); }
};

/// The processes of a machine that several threads simulate: the first is the host with its switch, each of
/// the others a package. They meet at links alone: what goes over one takes the lookahead at least.
class Division {
 public:
  /// Between processes a link takes so long at least.
  static constexpr Time kLeastLookahead = 1_ns;

  /// `host` and `whole` are the first process's and outlive it; others get a simulation of these options.
  Division(Simulation& host, Fabric& whole, const SimulationOptions& each);
  ~Division();

  [[nodiscard]] std::size_t process(const topology::Node& node) const {
    return node.at.sip < 0 ? 0 : static_cast<std::size_t>(node.at.sip) + 1;
  }
  [[nodiscard]] Fabric& fabric(const topology::Node& node) { return *fabrics_[process(node)]; }

  /// Once all components are made. Why they can't be divided so; empty if they can.
  [[nodiscard]] std::string obstacle() const;
  /// Likewise, before Fabric::connect(): gives links between processes their borders.
  void add_borders();
  /// After Fabric::connect(). Unsupported if a link between processes takes too little time.
  void set_lookahead();

  [[nodiscard]] Windows& windows() const { return *windows_; }
  /// By the host while it runs: done in a package's process before it hears of anything that the host sends
  /// later.
  void apply(int sip, std::function<void()> change) const;
  [[nodiscard]] std::size_t processes() const { return fabrics_.size(); }
  void run(unsigned threads) { windows_->run(threads); }
  /// Destroys the packages' coroutines.
  void clear();

 private:
  [[nodiscard]] bool crosses(const LiveLink& link) const;
  [[nodiscard]] bool may_hold_packets(NodeId node) const;
  [[nodiscard]] Time least_time(const LiveLink& link) const;
  [[nodiscard]] FabricBorder& border(std::size_t from, std::size_t to);

  Fabric& whole_;
  std::vector<std::unique_ptr<Simulation>> sims_;  // of packages
  std::vector<std::unique_ptr<Fabric>> of_packages_;
  std::vector<Fabric*> fabrics_;  // by process
  std::unique_ptr<Windows> windows_;
  std::vector<std::unique_ptr<ChangeBorder>> changes_;  // by package
  std::vector<std::unique_ptr<FabricBorder>> borders_;
};

/// What a host program does to a package beside its messages, at no time: a change that nobody there sees
/// before something that the host sends later comes.
void change(Machine& machine, int sip, std::function<void()> change);

/// What a host program sees of a package at the present time: `look` is done now, or if packages run side by
/// side within the present window, before the package goes on; it uses that package's parts alone. Before the
/// run those that look say so.
void let_host_look(Machine& machine);
void look(Machine& machine, int sip, std::function<void()> look);

}  // namespace kbsim::hw
