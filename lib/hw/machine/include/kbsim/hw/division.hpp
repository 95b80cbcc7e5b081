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

/// Carries the host's immediate changes to a package's process.
class ChangeBorder final : public Border<std::function<void()>> {
 public:
  using Border::Border;

 private:
  void arrives(std::function<void()>& change) override { change(); }
};

/// The processes of a machine that several threads simulate: first the host with its switch, then one per
/// package. They interact over links alone; a link between them takes at least the lookahead.
class Division {
 public:
  /// Minimum time of a link between processes.
  static constexpr Time kLeastLookahead = 1_ns;

  /// `host` and `whole` belong to the first process and outlive it. Each other process gets a simulation with
  /// the options `each`.
  Division(Simulation& host, Fabric& whole, const SimulationOptions& each);
  ~Division();

  [[nodiscard]] std::size_t process(const topology::Node& node) const {
    return node.at.sip < 0 ? 0 : static_cast<std::size_t>(node.at.sip) + 1;
  }
  [[nodiscard]] Fabric& fabric(const topology::Node& node) { return *fabrics_[process(node)]; }

  /// Called after all components are made. The reason against this division; empty if there is none.
  [[nodiscard]] std::string obstacle() const;
  /// Likewise, before Fabric::connect(): gives links between processes their borders.
  void add_borders();
  /// After Fabric::connect(). Unsupported if a link between processes takes too little time.
  void set_lookahead();

  [[nodiscard]] Windows& windows() const { return *windows_; }
  /// Called by the host during the run: makes the change in the package's process before anything that the
  /// host sends later arrives.
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

/// An immediate change of a package by a host program, beside its messages. It takes effect before anything
/// that the host sends later arrives.
void change(Machine& machine, int sip, std::function<void()> change);

}  // namespace kbsim::hw
