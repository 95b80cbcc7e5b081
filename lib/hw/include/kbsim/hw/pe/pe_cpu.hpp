#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/tl/barrier.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::hw {

struct PeCpuSpec {
  double freq_ghz = 1.0;
  int dispatch_cycles = 4;
  std::int64_t max_commands = 1'000'000;
  static void describe(auto& f) {
    f.add("freq_ghz", &PeCpuSpec::freq_ghz, kPositive, "clock");
    f.add("dispatch_cycles", &PeCpuSpec::dispatch_cycles, at_least(0), "to issue one command of a kernel");
    f.add("max_commands", &PeCpuSpec::max_commands, at_least(1),
          "commands and calls of one run of a kernel; one that issues more is taken for an endless loop");
  }
};

/// Runs each launched kernel as a process of its own and reports back when the kernel has ended and the
/// PE's engines are idle. Issuing a command takes dispatch_cycles. Barriers go to whom the launch came from.
class PeCpu : public Component, private BarrierLine {
 public:
  PeCpu(Fabric& fabric, NodeId id, PeCpuSpec spec);
  void start(Machine& machine) override;

  /// What it runs, if it runs something: an order's part of one target.
  [[nodiscard]] const Control* order() const { return orders_.empty() ? nullptr : orders_.front(); }
  /// The launch's kernel runs here, or waits behind others; if neither, it has ended.
  [[nodiscard]] bool runs(const ControlJob& launch) const;
  [[nodiscard]] bool queues(const ControlJob& launch) const;
  /// Of the kernel that runs; nullptr if there is none.
  [[nodiscard]] std::shared_ptr<const KernelContext> kernel() const {
    return orders_.empty() ? nullptr : kernel_.lock();
  }

 private:
  void accept(MessagePtr message) override;
  void reached(Time at, std::uint32_t number) override { reached_.post(at, number); }
  Task<> run_launches();
  Task<> run(std::shared_ptr<const KernelCall> kernel, LaunchId launch);
  Task<> tell_of_barriers();
  [[nodiscard]] std::string told_of(const KernelCall& kernel, const std::exception& error) const;

  PeCpuSpec spec_;
  PeUnits units_;
  Mailbox<MessagePtr> launches_;
  Mailbox<std::uint32_t> reached_;
  std::deque<const Control*> orders_;  // the first runs, the others wait
  NodeId from_;                        // whom the first is from
  std::weak_ptr<KernelContext> kernel_;
};

/// The barriers that PEs stand in when nothing is left to happen, each of one launch.
[[nodiscard]] std::vector<StandingBarrier> standing_barriers(Machine& machine);

}  // namespace kbsim::hw
