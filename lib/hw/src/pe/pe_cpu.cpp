#include "kbsim/hw/pe/pe_cpu.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/pe_ipcq.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::hw {

KBSIM_COMPONENT("builtin.pe_cpu", NodeKind::pe_cpu, PeCpu, PeCpuSpec, "runs kernels");

PeCpu::PeCpu(Fabric& fabric, NodeId id, PeCpuSpec spec)
    : Component{fabric, id},
      spec_{spec},
      launches_{fabric.sim(), name() + " launches"},
      reached_{fabric.sim(), name() + " barriers"} {}

namespace {

// As for any part of a machine: sums of them must stay within simulated time.
Time dispatch_of(const PeCpuSpec& spec) {
  const double ns = spec.dispatch_cycles / spec.freq_ghz;
  if (ns <= limits_of<Time>().max) return from_ns(ns);
  throw UsageError{
      fmt::format("pe.pe_cpu: dispatch_cycles / freq_ghz is {} ns, expected at most a second", ns)};
}

}  // namespace

void PeCpu::start(Machine& machine) {
  Component::start(machine);
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  units_ = {.at = node().at,
            .sim = &sim(),
            .spec = &machine.graph().spec(),
            .log = &machine.log(),
            .lane = machine.lane(node().at),
            .dispatch = dispatch_of(spec_),
            .scheduler = &machine.at<PeScheduler>(pe.scheduler),
            .math = &machine.at<PeMath>(pe.math),
            .gemm = &machine.at<PeGemm>(pe.gemm),
            .mmu = &machine.at<PeMmu>(pe.mmu),
            .ipcq = &machine.at<PeIpcq>(pe.ipcq),
            .barriers = this,
            .evaluator = &machine.evaluator(),
            .max_commands = spec_.max_commands,
            .machine_runs = machine.running()};
  (void)sim().serve(name() + " kernels", run_launches());
  (void)sim().serve(name() + " barriers", tell_of_barriers());
}

bool PeCpu::runs(const ControlJob& launch) const {
  return !orders_.empty() && orders_.front()->job.get() == &launch;
}

bool PeCpu::queues(const ControlJob& launch) const {
  const auto is_it = [&](const Control* order) { return order->job.get() == &launch; };
  return !runs(launch) && std::ranges::any_of(orders_, is_it);
}

void PeCpu::accept(MessagePtr message) {
  if (const auto* barrier = std::get_if<BarrierPassed>(&message->body)) {
    const auto kernel = kernel_.lock();
    ensure(kernel != nullptr, name() + " runs no kernel that could pass a barrier");
    return kernel->passed(barrier->number);
  }
  ensure(std::holds_alternative<Control>(message->body), name() + " takes launches only");
  orders_.push_back(&std::get<Control>(message->body));
  launches_.post(sim().now(), std::move(message));
}

Task<> PeCpu::run_launches() {
  for (;;) {
    const MessagePtr launch = co_await launches_.receive();
    from_ = launch->from;
    const auto& order = std::get<Control>(launch->body);
    const auto& [kernel, queues, round] = std::get<Launch>(order.job->targets[order.first].action);
    const LaunchId id{.order = order.order, .round = round};
    const Time start = sim().now();
    units_.ipcq->select(queues, id);
    Process running = sim().spawn(fmt::format("{} on {}", kernel->name, to_string(node().at)),
                                  run(kernel, id), KernelOn{node().at});
    co_await running.join();
    const Time end = sim().now();
    tell(launch->from, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
         ControlDone{.token = order.token, .activity = {start, start, end}});
    orders_.pop_front();
  }
}

Task<> PeCpu::tell_of_barriers() {
  for (;;) {
    const std::uint32_t number = co_await reached_.receive();
    tell(from_, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
         BarrierReached{.token = order()->token, .number = number});
  }
}

Task<> PeCpu::run(std::shared_ptr<const KernelCall> kernel, LaunchId launch) {
  const auto context = std::make_shared<KernelContext>(units_, kernel->name, launch);
  kernel_ = context;
  TL tl{*context};
  try {
    co_await kernel->start(tl);
    co_await context->finish();
  } catch (const Error& error) {
    throw Error{error.exit_code(), told_of(*kernel, error)};
  } catch (const std::bad_alloc&) {
    throw Error{ExitCode::limit, told_of(*kernel, UsageError{"out of memory"})};
  } catch (const std::exception& error) {
    throw KernelFault{told_of(*kernel, error)};
  }
}

std::string PeCpu::told_of(const KernelCall& kernel, const std::exception& error) const {
  return fmt::format("kernel {} on {} at {}: {}", kernel.name, to_string(node().at), to_string(sim().now()),
                     error.what());
}

}  // namespace kbsim::hw
