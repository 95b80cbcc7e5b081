#include "kbsim/mock/world.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/base/thrown.hpp"
#include "kbsim/mock/pe.hpp"
#include "kbsim/sim/wait_graph.hpp"
#include "kbsim/tl/kernel_waits.hpp"

#include "mock_barrier.hpp"
#include "mock_memory.hpp"
#include "mock_signals.hpp"
#include "queue.hpp"

namespace kbsim::mock {
namespace {

using Here = World::Here;

std::string extent_of(const WorldSpec& spec) {
  return fmt::format("{} of {} of {}", counted(spec.sips, "SIP"), counted(spec.cubes, "cube"),
                     counted(spec.pes, "PE"));
}

WorldSpec with_pes(WorldSpec spec) {
  if (spec.sips >= 1 && spec.cubes >= 1 && spec.pes >= 1) return spec;
  throw UsageError{fmt::format("a world of {}: expected 1 of each at least", extent_of(spec))};
}

void require_sip(const WorldSpec& spec, int sip) {
  if (sip >= 0 && sip < spec.sips) return;
  throw UsageError{fmt::format("there is no sip{}: the world has {}", sip, counted(spec.sips, "SIP"))};
}

void require_pe(const WorldSpec& spec, PeCoord at) {
  const bool there = at.sip >= 0 && at.sip < spec.sips && at.cube >= 0 && at.cube < spec.cubes &&
                     at.pe >= 0 && at.pe < spec.pes;
  if (there) return;
  throw UsageError{fmt::format("there is no {}: the world has {}", to_string(at), extent_of(spec))};
}

void require_kernel(const KernelCall& call) {
  if (!call.start) throw UsageError{fmt::format("kernel '{}' has no function to start", call.name)};
}

}  // namespace

struct World::Impl {
  explicit Impl(WorldSpec world)
      : spec{std::move(world)}, memory(static_cast<std::size_t>(spec.sips)), signals(memory.size()) {
    for (const auto& [from, neighbours] : spec.wiring) {
      require_pe(spec, from);
      for (const ccl::Neighbour& to : neighbours) connect(from, to);
    }
    for (const auto& [at, neighbours] : spec.wiring) {
      for (const ccl::Neighbour& from : neighbours) {
        if (receives(from.flow)) ends[at].inbox.add(*ends[at].in.at(from.direction));
      }
    }
  }
  ~Impl() { sim.clear(); }

  void connect(PeCoord from, const ccl::Neighbour& to) {
    require_pe(spec, to.peer);
    const std::string in = ccl::reverse_direction(spec.wiring, from, to);
    if (!sends(to.flow)) return;
    Queue& queue = queues.emplace_back(queues.size(), from, Queue::End{.pe = to.peer, .direction = in},
                                       spec.queues, spec.fetched);
    ends[from].out[to.direction] = &queue;
    ends[to.peer].in[in] = &queue;
  }

  // Runs the kernels of one PE, one after the other.
  Task<> run_launches(PeCoord at, std::vector<KernelCall> calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::string name = fmt::format("{} on {}", calls[i].name, to_string(at));
      Barriers& met = barriers.at({at.sip, i});
      met.begins(at);
      const LaunchId launch{.sip = at.sip, .number = launches_before + i};
      Process running = sim.spawn(name, run_kernel(at, std::move(calls[i]), launch, &met), KernelOn{at});
      co_await running.join();
      met.ended(at);
      if (met.over()) require_received(met, launch);
    }
  }

  Task<> run_kernel(PeCoord at, KernelCall call, LaunchId launch, Barriers* met) {
    Pe& pe = pes.emplace_back(at, Pe::Around{.sim = sim,
                                             .spec = spec,
                                             .memory = memory[static_cast<std::size_t>(at.sip)],
                                             .ends = ends[at],
                                             .printed = printed,
                                             .barriers = *met,
                                             .signals = signals[static_cast<std::size_t>(at.sip)],
                                             .launch = launch});
    TL tl{pe};
    try {
      co_await call.start(tl);
      co_await pe.finish();
    } catch (const Error& error) {
      throw Error{error.exit_code(), describe(call, at, error)};
    } catch (const std::exception& error) {
      throw KernelFault{describe(call, at, error)};
    } catch (...) {
      throw KernelFault{describe(call, at, KernelFault{thrown_text()})};
    }
  }

  void require_received(const Barriers& met, LaunchId launch) {
    for (const PeCoord pe : met.members()) {
      for (const auto& [direction, queue] : ends[pe].in) queue->ended(launch);
    }
  }

  static std::string describe(const KernelCall& call, PeCoord at, const std::exception& error) {
    return fmt::format("kernel {} on {}: {}", call.name, to_string(at), error.what());
  }

  static void fills(QueueEnd& end, const Queue& out) {
    end.peer_ring = out.number();
    end.my_head = out.filled();
    end.peer_tail = out.freed();
    end.sends = out.sends();
  }
  static void empties(QueueEnd& end, const Queue& in) {
    end.ring = in.number();
    end.peer_head = in.filled();
    end.taken = in.received();
    end.my_tail = in.freed();
    end.receives = in.receives();
  }

  // A ring is named by the queue that fills it.
  [[nodiscard]] std::vector<QueueEnd> queue_ends() const {
    std::vector<QueueEnd> found;
    for (const auto& [at, neighbours] : spec.wiring) {
      for (const ccl::Neighbour& to : neighbours) {
        QueueEnd end{.pe = at,
                     .direction = to.direction,
                     .peer = to.peer,
                     .flow = to.flow,
                     .slots = spec.queues.slots};
        if (sends(to.flow)) fills(end, *ends.at(at).out.at(to.direction));
        if (receives(to.flow)) empties(end, *ends.at(at).in.at(to.direction));
        if (!receives(to.flow)) end.ring = end.peer_ring;
        if (!sends(to.flow)) end.peer_ring = end.ring;
        found.push_back(std::move(end));
      }
    }
    return found;
  }

  [[nodiscard]] DeadlockReport report(const DeadlockError& deadlock) const {
    std::vector<StandingBarrier> standing;
    for (const auto& [launch, met] : barriers) met.add_standing(standing);
    Waits waits{deadlock.waiting()};
    add_kernel_waits(waits, queue_ends(), standing);
    return {deadlock, waits.take(), describe_barriers(standing)};
  }

  // The kernels that the PEs of a SIP run as their first of this run() are one launch, and so on.
  void form_launches() {
    barriers.clear();
    for (const auto& [pe, calls] : launches) {
      for (std::size_t i = 0; i < calls.size(); ++i) barriers[{pe.sip, i}].join(pe);
    }
  }

  // Members are destroyed in reverse order: processes, then the tiles' owners, then their queues.
  WorldSpec spec;
  std::vector<Memory> memory;    // by SIP
  std::vector<Signals> signals;  // by SIP
  std::deque<Queue> queues;
  std::map<PeCoord, Ends> ends;
  std::map<std::pair<int, std::size_t>, Barriers> barriers;  // by SIP and launch
  std::vector<Printed> printed;
  std::map<PeCoord, std::vector<KernelCall>> launches;
  std::size_t launches_before = 0;  // the most of any PE, summed over the runs before this one
  Simulation sim;
  std::deque<Pe> pes;
};

World::World(WorldSpec spec, Here at)
    : impl_{at_line(at, [&] { return std::make_unique<Impl>(with_pes(std::move(spec))); })} {}
World::~World() = default;
World::World(World&&) noexcept = default;

Ptr World::alloc(int sip, std::int64_t n, DType dtype, Here at) {
  at_line(at, [&] {
    require_sip(impl_->spec, sip);
    if (n <= 0 || n > kMostElements)
      throw UsageError{fmt::format("alloc of {}, expected 1 to 2^50", counted(n, "element"))};
  });
  return {.va = impl_->memory[static_cast<std::size_t>(sip)].allocate(Bytes{n * itemsize(dtype)}),
          .dtype = dtype};
}

Ptr World::alloc(int sip, std::span<const double> numbers, DType dtype, Here at) {
  const Ptr to = alloc(sip, static_cast<std::int64_t>(numbers.size()), dtype, at);
  const replay::Buffer bytes = replay::from_doubles(numbers, dtype);
  const Bytes size{static_cast<std::int64_t>(bytes.size())};
  std::ranges::copy(bytes, impl_->memory[static_cast<std::size_t>(sip)].at(to.va, size).begin());
  return to;
}

std::vector<double> World::read(int sip, Ptr from, std::int64_t n, Here at) const {
  return at_line(at, [&] {
    require_sip(impl_->spec, sip);
    if (n < 0 || n > kMostElements)
      throw UsageError{fmt::format("read of {}, expected 0 to 2^50", counted(n, "element"))};
    const Bytes size{n * itemsize(from.dtype)};
    return replay::to_doubles(impl_->memory[static_cast<std::size_t>(sip)].at(from.va, size), from.dtype);
  });
}

void World::launch(PeCoord pe, KernelCall call, Here at) {
  at_line(at, [&] {
    require_pe(impl_->spec, pe);
    require_kernel(call);
  });
  impl_->launches[pe].push_back(std::move(call));
}

void World::launch(int sip, const KernelCall& call, Here at) {
  at_line(at, [&] { require_sip(impl_->spec, sip); });
  for (int cube = 0; cube < impl_->spec.cubes; ++cube) {
    for (int pe = 0; pe < impl_->spec.pes; ++pe) launch({sip, cube, pe}, call, at);
  }
}

void World::launch(const KernelCall& call) {
  for (int sip = 0; sip < impl_->spec.sips; ++sip) launch(sip, call);
}

void World::run() {
  impl_->form_launches();
  std::size_t most = 0;
  for (const auto& [pe, calls] : impl_->launches) most = std::max(most, calls.size());
  for (auto& [pe, calls] : std::exchange(impl_->launches, {})) {
    (void)impl_->sim.serve("kernels of " + to_string(pe), impl_->run_launches(pe, std::move(calls)));
  }
  try {
    impl_->sim.run();
  } catch (const ProcessError& error) {
    std::rethrow_if_nested(error);
    throw;
  } catch (const DeadlockError& deadlock) {
    throw impl_->report(deadlock);
  }
  impl_->launches_before += most;
  for (const Queue& queue : impl_->queues) queue.require_received();
}

void World::run(const std::string& kernel, const std::any& args, Here at) {
  launch(at_line(at, [&] { return kernels().at(kernel).bind(args); }));
  run();
}

const std::vector<Printed>& World::printed() const { return impl_->printed; }

}  // namespace kbsim::mock
