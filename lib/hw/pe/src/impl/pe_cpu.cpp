#include <algorithm>
#include <new>
#include <vector>

#include <boost/container/devector.hpp>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/self_profile.hpp"
#include "kbsim/base/thrown.hpp"
#include "kbsim/base/watched.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/pe/i_cpu.hpp"
#include "kbsim/hw/pe/i_dma.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_ipcq.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/i_mmu.hpp"
#include "kbsim/hw/pe/i_scheduler.hpp"
#include "kbsim/hw/pe/launch_aborted.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::hw {
namespace {

const WorkKind kKernels{"kernels"};

struct PeCpuSpec {
  double freq_ghz = 1.0;
  double dispatch_cycles = 4.0;
  std::int64_t max_commands = 1'000'000;
  static void describe(FieldList<PeCpuSpec>& f) {
    f.add("freq_ghz", &PeCpuSpec::freq_ghz, kPositive, "clock");
    f.add("dispatch_cycles", &PeCpuSpec::dispatch_cycles, kNotNegative, "to issue one command of a kernel");
    f.add("max_commands", &PeCpuSpec::max_commands, at_least(1),
          "commands and calls of one run of a kernel; one that issues more is taken for an endless loop");
  }
};

/// Runs each launched kernel as a process of its own and reports back when the kernel has ended and the PE's
/// engines are idle. Issuing a command takes dispatch_cycles. Barriers are reported to the sender of the
/// launch.
class PeCpu : public Component, public ICpu, public IRepeatable, private BarrierLine {
 public:
  PeCpu(Fabric& fabric, NodeId id, PeCpuSpec spec);
  void start(Machine& machine) override;
  [[nodiscard]] Task<> run() override;

  [[nodiscard]] const Control* order() const override { return orders_.empty() ? nullptr : orders_.front(); }
  [[nodiscard]] bool runs(const ControlJob& launch) const override;
  [[nodiscard]] bool queues(const ControlJob& launch) const override;
  void visit(RepeatVisitor& visitor) override { visitor.rests(orders_.empty()); }
  [[nodiscard]] std::shared_ptr<const KernelContext> kernel() const override {
    return orders_.empty() ? nullptr : kernel_.lock();
  }

 private:
  /// A kernel that runs.
  struct Running {
    LaunchId id;
    Time start;
    UnitWork before;  // of the PE's units
    bool given_up = false;
  };
  void reached(Time at, std::uint32_t number) override {
    reached_.post(at, BarrierReached{.token = order()->token, .number = number});
  }
  void take(MessagePtr launch);
  void passed(const BarrierPassed& barrier);
  void give_up(std::uint32_t token);
  /// The running kernel of this order; none if the order waits, or was given up and has ended.
  [[nodiscard]] std::shared_ptr<KernelContext> running(std::uint32_t token) const {
    return order() != nullptr && order()->token == token ? kernel_.lock() : nullptr;
  }
  Task<> run_kernels();
  [[nodiscard]] Running begin(const Message& launch);
  void end(const Message& launch, const Running& kernel);
  Task<> run_kernel(Launch launched, LaunchId launch, bool* given_up);
  Process start_kernel(const Launch& launched, LaunchId launch, bool* given_up);
  Task<> report_barriers();
  [[nodiscard]] UnitWork work() const;
  [[nodiscard]] std::string describe(const KernelCall& kernel, const std::exception& error) const;

  PeCpuSpec spec_;
  PeUnits units_;
  const Component* gemm_ = nullptr;
  const Component* math_ = nullptr;
  const IDma* dma_ = nullptr;
  Mailbox<MessagePtr> launches_;
  Mailbox<BarrierReached> reached_;
  boost::container::devector<const Control*> orders_;  // the first runs, the others wait
  NodeId from_;                                        // the sender of the first
  std::vector<std::uint32_t> given_up_;                // tokens of the orders that were given up
  std::weak_ptr<KernelContext> kernel_;
};

PeCpu::PeCpu(Fabric& fabric, NodeId id, PeCpuSpec spec)
    : Component{fabric, id},
      spec_{spec},
      launches_{fabric.sim(), {name(), "kernels"}},
      reached_{fabric.sim(), {name(), "barriers"}} {}

// Limited as any time of a part: sums must stay within simulated time.
Time dispatch_of(const PeCpuSpec& spec) {
  const double ns = spec.dispatch_cycles / spec.freq_ghz;
  if (ns <= limits_of<Time>().max) return from_ns(ns);
  throw UsageError{
      fmt::format("pe.pe_cpu: dispatch_cycles / freq_ghz is {} ns, expected at most a second", ns)};
}

void PeCpu::start(Machine& machine) {
  Component::start(machine);
  const topology::PeNodes& pe = machine.graph().pe(node().at);
  units_ = {.at = node().at,
            .sim = &sim(),
            .fabric = &fabric(),
            .cpu = id(),
            .tcm = pe.tcm,
            .spec = &machine.graph().spec(),
            .log = &machine.log(),
            .lane = machine.lane(node().at),
            .dispatch = dispatch_of(spec_),
            .scheduler = &machine.at<IScheduler>(pe.scheduler),
            .math = &machine.at<IMath>(pe.math),
            .gemm = &machine.at<IGemm>(pe.gemm),
            .mmu = &machine.at<IMmu>(pe.mmu),
            .ipcq = &machine.at<IIpcq>(pe.ipcq),
            .barriers = this,
            .races = &machine.races(),
            .evaluator = &machine.evaluator(),
            .max_commands = spec_.max_commands,
            .machine_runs = machine.running()};
  gemm_ = &machine.component(pe.gemm);
  math_ = &machine.component(pe.math);
  dma_ = &machine.at<IDma>(pe.dma);
  serve_box<&PeCpu::launches_, &PeCpu::run_kernels>(*this);
  serve_box<&PeCpu::reached_, &PeCpu::report_barriers>(*this);
}

// So far; complete while no kernel runs.
UnitWork PeCpu::work() const {
  const auto busy = [](const Component& unit) {
    Time sum{};
    for (const UnitUse& use : unit.use()) sum += use.busy;
    return sum;
  };
  const DmaUse dma = dma_->moved();
  return {
      .gemm = busy(*gemm_), .math = busy(*math_), .dma = dma.busy, .read = dma.read, .written = dma.written};
}

bool PeCpu::runs(const ControlJob& launch) const {
  return !orders_.empty() && orders_.front()->job.get() == &launch;
}

bool PeCpu::queues(const ControlJob& launch) const {
  const auto is_it = [&](const Control* order) { return order->job.get() == &launch; };
  return !runs(launch) && std::ranges::any_of(orders_, is_it);
}

Task<> PeCpu::run() {
  for (;;) {
    MessagePtr message = co_await in().receive();
    if (const auto* barrier = message->body.get_if<BarrierPassed>())
      passed(*barrier);
    else if (const auto* given_up = message->body.get_if<LaunchGivenUp>())
      give_up(given_up->token);
    else
      take(std::move(message));
  }
}

void PeCpu::passed(const BarrierPassed& barrier) {
  if (const auto kernel = running(barrier.token)) kernel->peers().passed(barrier.number);
}

void PeCpu::take(MessagePtr launch) {
  ensure(launch->body.holds<Control>(), [&] { return name() + " takes launches only"; });
  orders_.push_back(&launch->body.get<Control>());
  launches_.post(sim().now(), std::move(launch));
}

const Launch& launch_of(const Control& order) {
  return std::get<Launch>(order.job->targets[order.first].action);
}

// One kernel after the other, in the order of their launches.
Task<> PeCpu::run_kernels() {
  for (;;) {
    const MessagePtr launch = co_await launches_.receive();
    Running kernel = begin(*launch);
    const Launch& launched = launch_of(launch->body.get<Control>());
    const Process process = start_kernel(launched, kernel.id, &kernel.given_up);
    co_await process.join();
    end(*launch, kernel);
  }
}

PeCpu::Running PeCpu::begin(const Message& launch) {
  from_ = launch.from;
  const auto& order = launch.body.get<Control>();
  const Launch& launched = launch_of(order);
  const Running kernel{
      .id = {.order = order.order, .round = launched.round}, .start = sim().now(), .before = work()};
  units_.ipcq->select(launched.queues, kernel.id);
  if (ISpans* const spans = fabric().spans()) {
    spans->open(this, {.kind = SpanKind::kernel,
                       .unit = id(),
                       .what = launched.kernel->name,
                       .detail = launched.round > 0 ? "collective" : "",
                       .start = kernel.start,
                       .id = order.order,
                       .from = {SpanFlow::Kind::launch, order.order, order.first}});
  }
  return kernel;
}

void PeCpu::end(const Message& launch, const Running& kernel) {
  const Time now = sim().now();
  if (ISpans* const spans = fabric().spans()) spans->close(this, now);
  const Causes* const causes = sim().causes();
  const Activity activity{.first_start = kernel.start,
                          .last_start = kernel.start,
                          .last_end = now,
                          .work = work().since(kernel.before),
                          .order = kernel.id.order,
                          .why = causes != nullptr ? causes->current() : Cause{}};
  const std::uint32_t token = launch.body.get<Control>().token;
  send_message(launch.from, fabric().graph().spec().system.control_bytes, TrafficClass::response,
               ControlDone{.token = token, .activity = activity, .given_up = kernel.given_up});
  std::erase(given_up_, token);
  orders_.pop_front();
}

Process PeCpu::start_kernel(const Launch& launched, LaunchId launch, bool* given_up) {
  const WorkScope scope{kKernels};
  return sim().spawn(fmt::format("{} on {}", launched.kernel->name, to_string(node().at)),
                     run_kernel(launched, launch, given_up), KernelOn{node().at});
}

// A finished kernel doesn't need it; one that waits for its turn is given up when it begins.
void PeCpu::give_up(std::uint32_t token) {
  if (std::ranges::find(orders_, token, &Control::token) == orders_.end()) return;
  if (std::ranges::find(given_up_, token) == given_up_.end()) given_up_.push_back(token);
  if (const auto kernel = running(token)) kernel->peers().give_up();
}

Task<> PeCpu::report_barriers() {
  for (;;) {
    const BarrierReached barrier = co_await reached_.receive();
    send_message(from_, fabric().graph().spec().system.control_bytes, TrafficClass::response, barrier);
  }
}

Task<> PeCpu::run_kernel(Launch launched, LaunchId launch, bool* given_up) {
  const std::shared_ptr<const KernelCall> kernel = launched.kernel;
  OrderWatch& orders = units_.races->orders();
  const oplog::AgentPtr agent = orders.kernel_begins(launch.order, node().at, kernel->name);
  const auto context =
      std::make_shared<KernelContext>(units_, kernel->name, launch, launched.programs, agent);
  kernel_ = context;
  const WatchedProgram watched{fmt::format("kernel {} on {}", kernel->name, to_string(node().at)),
                               sim().running().id(), kernel->at, &context->turns().last_command()};
  TL tl{*context};
  bool aborted = false;
  if (std::ranges::find(given_up_, order()->token) != given_up_.end()) context->peers().give_up();
  try {
    co_await kernel->start(tl);
    co_await context->commands().finish();
  } catch (const LaunchAborted&) {
    aborted = true;
  } catch (const Error& error) {
    throw Error{error.exit_code(), describe(*kernel, error)};
  } catch (const std::bad_alloc&) {
    throw Error{ExitCode::limit, describe(*kernel, UsageError{"out of memory"})};
  } catch (const std::exception& error) {
    throw KernelFault{describe(*kernel, error)};
  } catch (...) {
    throw KernelFault{describe(*kernel, KernelFault{thrown_text()})};
  }
  if (aborted) {
    *given_up = true;
    context->peers().give_up();
    co_await context->commands().wind_down();
  }
  orders.ends(launch.order, node().at, agent);
}

std::string PeCpu::describe(const KernelCall& kernel, const std::exception& error) const {
  return fmt::format("kernel {} on {} at {}: {}", kernel.name, to_string(node().at), to_string(sim().now()),
                     error.what());
}

}  // namespace

KBSIM_COMPONENT("builtin.pe_cpu", NodeKind::pe_cpu, PeCpu, PeCpuSpec, "runs kernels");

}  // namespace kbsim::hw
