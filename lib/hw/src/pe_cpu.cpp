// PE_CPU: runs the kernels that are launched on its PE, one after the other.
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/kernel_context.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe_ipcq.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::hw {
namespace {

struct PeCpuSpec {
  double freq_ghz = 1.0;
  int dispatch_cycles = 4;
  std::int64_t max_commands = 1'000'000;
  static void describe(FieldList<PeCpuSpec>& f) {
    f.add("freq_ghz", &PeCpuSpec::freq_ghz, kPositive, "clock");
    f.add("dispatch_cycles", &PeCpuSpec::dispatch_cycles, at_least(0), "to issue one command of a kernel");
    f.add("max_commands", &PeCpuSpec::max_commands, at_least(1),
          "commands of one run of a kernel; one that issues more is taken for an endless loop");
  }
};

/// Runs each launched kernel as a process of its own and reports back when the kernel has ended and the
/// PE's engines are idle. Issuing a command takes dispatch_cycles.
class PeCpu : public Component {
 public:
  PeCpu(Fabric& fabric, NodeId id, PeCpuSpec spec)
      : Component{fabric, id}, spec_{spec}, launches_{fabric.sim(), name() + " launches"} {}

  void start(Machine& machine) override {
    Component::start(machine);
    const topology::PeNodes& pe = machine.graph().pe(node().at);
    units_ = {.at = node().at,
              .sim = &sim(),
              .spec = &machine.graph().spec(),
              .log = &machine.log(),
              .lane = machine.lane(node().at),
              .dispatch = from_ns(spec_.dispatch_cycles / spec_.freq_ghz),
              .scheduler = &machine.at<PeScheduler>(pe.scheduler),
              .math = &machine.at<PeMath>(pe.math),
              .gemm = &machine.at<PeGemm>(pe.gemm),
              .mmu = &machine.at<PeMmu>(pe.mmu),
              .ipcq = &machine.at<PeIpcq>(pe.ipcq),
              .evaluator = &machine.evaluator(),
              .max_commands = spec_.max_commands,
              .machine_runs = machine.running()};
    (void)sim().serve(name() + " kernels", run_launches());
  }

 private:
  void accept(MessagePtr message) override {
    ensure(std::holds_alternative<Control>(message->body), name() + " takes launches only");
    launches_.post(sim().now(), std::move(message));
  }

  Task<> run_launches() {
    for (;;) {
      const MessagePtr launch = co_await launches_.receive();
      const auto& order = std::get<Control>(launch->body);
      const auto& kernel = std::get<Launch>(order.job->targets[order.first].action).kernel;
      const Time start = sim().now();
      Process running = sim().spawn(fmt::format("{} on {}", kernel->name, to_string(node().at)), run(kernel));
      co_await running.join();
      const Time end = sim().now();
      tell(launch->from, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
           ControlDone{.token = order.token, .activity = {start, start, end}});
    }
  }

  Task<> run(std::shared_ptr<const KernelCall> kernel) {
    const auto context = std::make_shared<KernelContext>(units_, kernel->name);
    TL tl{*context};
    try {
      co_await kernel->start(tl);
      co_await context->finish();
    } catch (const Error& error) {
      throw Error{error.exit_code(), told_of(*kernel, error)};
    } catch (const std::exception& error) {
      throw KernelFault{told_of(*kernel, error)};
    }
  }

  [[nodiscard]] std::string told_of(const KernelCall& kernel, const std::exception& error) const {
    return fmt::format("kernel {} on {} at {}: {}", kernel.name, to_string(node().at), to_string(sim().now()),
                       error.what());
  }

  PeCpuSpec spec_;
  PeUnits units_;
  Mailbox<MessagePtr> launches_;
};
KBSIM_COMPONENT("builtin.pe_cpu", NodeKind::pe_cpu, PeCpu, PeCpuSpec, "runs kernels");

}  // namespace
}  // namespace kbsim::hw
