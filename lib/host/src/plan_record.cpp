// What a kernel sends, adds and stores, as a plan's steps.
#include "kbsim/host/plan_record.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/ccl/collective.hpp"
#include "kbsim/ccl/plan_check.hpp"
#include "kbsim/ccl/plan_walk.hpp"
#include "kbsim/ccl/ranks.hpp"
#include "kbsim/host/collective_args.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/copy.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/queue_memory.hpp"

#include "plan_events.hpp"
#include "plan_queues.hpp"
#include "plan_spread.hpp"

namespace kbsim::host {
namespace {

constexpr std::uint64_t kInput = 1U << 28U;
constexpr std::uint64_t kOutput = 2U << 28U;

/// A PE that notes what a kernel's tiles hold and where they go. All that it asks for comes at once.
class PlanRecorder final : public PeBackend {
 public:
  PlanRecorder(Simulation& sim, int rank, int ranks, std::string kernel)
      : sim_{sim}, rank_{rank}, ranks_{ranks}, kernel_{std::move(kernel)} {}

  [[nodiscard]] int program_id(int axis) const override { return axis == 2 ? rank_ : 0; }
  [[nodiscard]] int num_programs(int axis) const override { return axis == 2 ? ranks_ : 1; }
  [[nodiscard]] Time clock() const override { return {}; }
  void observe(Time /*t*/) override {}
  void range(std::string_view /*name*/, Time /*begin*/, Time /*end*/) override {}
  void count(const std::source_location& /*at*/) override {
    constexpr std::int64_t kMost = 1'000'000;
    if (++counted_ > kMost) throw refusal("it doesn't end");
  }

  [[nodiscard]] TilePtr execute(const EngineCommand& command) override {
    count(command.at);
    using enum oplog::OpKind;
    const bool sum = command.kind == binary && command.params.binary == oplog::BinaryOp::add;
    if (sum)
      return made({.left = value_of(command.inputs[0]), .right = value_of(command.inputs[1])}, command);
    if (command.kind == cast || command.kind == copy)
      return alias(command.inputs[0], command.shape, command.dtype);
    throw refusal("it computes other things than sums");
  }
  [[nodiscard]] TilePtr view(const TilePtr& tile, Shape shape, DType dtype) override {
    return alias(tile, shape, dtype);
  }

  [[nodiscard]] PendingPtr issue(const MemoryCommand& command) override;
  [[nodiscard]] PendingPtr send(Dir dir, const TilePtr& tile, int /*tag*/, std::source_location at) override {
    sent(dir, value_of(tile));
    return done(nullptr, at);
  }
  [[nodiscard]] PendingPtr recv(Dir dir, Shape shape, DType dtype, int /*tag*/,
                                std::source_location at) override {
    return done(received(dir, shape, dtype), at);
  }

  [[nodiscard]] PendingPtr composite(const CompositeCommand& /*command*/) override {
    throw refusal("it runs composites");
  }
  [[nodiscard]] PendingPtr barrier(std::source_location /*at*/) override { throw refusal("it has barriers"); }
  [[nodiscard]] PendingPtr sync(std::source_location at) override { return done(nullptr, at); }
  [[nodiscard]] PendingPtr item(const TilePtr& /*tile*/, std::int64_t /*element*/,
                                std::source_location /*at*/) override {
    throw refusal("its way hangs on numbers");
  }
  void dropped(const PendingState& /*pending*/) noexcept override {}
  void detached(PendingPtr /*pending*/) override {}

  [[nodiscard]] const RecordedKernel& recorded() const { return recorded_; }

 private:
  [[nodiscard]] Unsupported refusal(std::string_view why) const {
    return Unsupported{fmt::format("{} isn't written as a plan: {}", kernel_, why)};
  }
  [[nodiscard]] PendingPtr done(TilePtr tile, std::source_location at) {
    auto state = std::make_shared<PendingState>(sim_, *this, CommandWait{"recorded"}, at);
    state->complete(std::move(tile), {});
    return state;
  }
  [[nodiscard]] std::size_t value_of(const TilePtr& tile) const { return of_tile_.at(tile.get()); }

  TilePtr tile(std::size_t value, Shape shape, DType dtype) {
    tiles_.push_back(std::make_shared<TileState>(*this, shape, dtype));
    of_tile_[tiles_.back().get()] = value;
    return tiles_.back();
  }
  TilePtr alias(const TilePtr& of, Shape shape, DType dtype) { return tile(value_of(of), shape, dtype); }
  std::size_t value(RecordedValue made, const Shape& shape) {
    made.count = static_cast<int>(shape.count().value_or(0));
    recorded_.values.push_back(made);
    return recorded_.values.size() - 1;
  }
  TilePtr made(RecordedValue sum, const EngineCommand& command) {
    const std::size_t number = value(sum, command.shape);
    recorded_.events.push_back({.kind = RecordedEvent::Kind::sum, .value = number});
    return tile(number, command.shape, command.dtype);
  }

  [[nodiscard]] static PlanChunk chunk_at(std::uint64_t va) {
    const bool output = va >= kOutput;
    const std::uint64_t bytes = va - (output ? kOutput : kInput);
    return {.buffer = output ? PlanBuffer::output : PlanBuffer::input,
            .index = static_cast<int>(bytes / static_cast<std::uint64_t>(itemsize(f32)))};
  }
  std::size_t memory(std::uint64_t va, const Shape& shape) { return value({.memory = chunk_at(va)}, shape); }

  void sent(Dir dir, std::size_t number) {
    recorded_.sends.insert(dir);
    recorded_.events.push_back({.kind = RecordedEvent::Kind::send, .value = number, .queue = dir});
  }
  TilePtr received(Dir dir, Shape shape, DType dtype) {
    if (dir == Dir::any) throw refusal("it takes whatever message comes first");
    recorded_.receives.insert(dir);
    const std::size_t number = value({}, shape);
    recorded_.events.push_back({.kind = RecordedEvent::Kind::recv, .value = number, .queue = dir});
    const TilePtr got = tile(number, shape, dtype);
    got->came_from(dir);
    return got;
  }
  void stored(std::size_t number, std::uint64_t va) {
    recorded_.events.push_back({.kind = RecordedEvent::Kind::store, .value = number, .to = chunk_at(va)});
  }

  Simulation& sim_;
  int rank_;
  int ranks_;
  std::string kernel_;
  std::int64_t counted_ = 0;
  RecordedKernel recorded_;
  std::vector<TilePtr> tiles_;  // all, so that no two have one address
  std::map<const TileState*, std::size_t> of_tile_;
};

PendingPtr PlanRecorder::issue(const MemoryCommand& command) {
  count(command.at());
  if (const auto* load = command.get_if<LoadCommand>()) {
    if (load->from.runs.size() != 1) throw refusal("it loads what isn't one run of memory");
    const std::size_t number = memory(load->from.runs.front().va, load->from.shape);
    return done(tile(number, load->from.shape, load->from.dtype), load->at);
  }
  if (const auto* store = command.get_if<StoreCommand>()) {
    if (store->to.runs.size() != 1) throw refusal("it stores what isn't one run of memory");
    stored(value_of(store->tile), store->to.runs.front().va);
  } else if (const auto* copies = command.get_if<CopyCommand>()) {
    stored(memory(copies->from.va, copies->shape), copies->to.va);
  } else if (const auto* sends = command.get_if<SendFromCommand>()) {
    sent(sends->to, memory(sends->from.va, sends->shape));
  } else if (const auto* recvs = command.get_if<RecvIntoCommand>()) {
    stored(value_of(received(recvs->from, recvs->shape, recvs->to.dtype)), recvs->to.va);
  } else {
    throw refusal(fmt::format("it does a {}", command.kind().name));
  }
  return done(nullptr, command.at());
}

Task<> record_kernel(PlanRecorder* pe, KernelCall call) {
  TL tl{*pe};
  co_await call.start(tl);
}

config::MachineSpec machine_of_packages(int ranks) {
  config::MachineSpec machine;
  machine.system.sips.count = ranks;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

// Slots and TCM hold whatever the kernel wants to send at once.
config::AlgorithmSpec unlimited(config::AlgorithmSpec algorithm) {
  constexpr int kSlots = 1 << 12;
  algorithm.n_slots = kSlots;
  algorithm.slot_size = Bytes{1 << 20};
  algorithm.chunk_size = 0;
  algorithm.buffer_kind = config::BufferKind::hbm;
  algorithm.world_size = 0;
  return algorithm;
}

CollectiveArgs args_of_rank(const config::MachineSpec& machine, const config::AlgorithmSpec& algorithm,
                            int rank) {
  const ccl::CollectiveEntry& row = ccl::collective(algorithm.collective);
  const int ranks = machine.system.sips.count;
  const bool one = !row.combines && row.shares_in(ranks) == 1;
  CollectiveArgs args = collective_args(machine, unlimited(algorithm), rank, {.va = kInput, .dtype = f32},
                                        one ? 1 : ranks, 1, Bytes{1 << 30});
  if (!row.in_place) args.out = {.va = kOutput, .dtype = f32};
  return args;
}

RecordedKernel record_rank(const config::AlgorithmSpec& algorithm, const CollectiveArgs& args) {
  Simulation sim;
  PlanRecorder pe{sim, args.rank, args.world_size, algorithm.name};
  KernelCall call = kernels().at(algorithm.kernel).bind(args);
  (void)sim.spawn(call.name, record_kernel(&pe, std::move(call)));
  try {
    sim.run();
  } catch (const ProcessError& error) {
    std::rethrow_if_nested(error);
    throw;
  }
  return pe.recorded();
}

SpreadKernel as_a_block(const RecordedKernel& kernel) {
  const auto only = [](const std::set<Dir>& queues) { return queues.empty() ? Dir::any : *queues.begin(); };
  RecordedSteps made = steps_of(kernel);
  return {
      .blocks = {{.send = only(kernel.sends), .recv = only(kernel.receives), .steps = std::move(made.steps)}},
      .scratch = made.scratch};
}

// Whoever takes part on several PEs of a package has a vector on each.
void require_one_pe(const config::AlgorithmSpec& algorithm, const ccl::Wiring& wiring) {
  for (const auto& [pe, neighbours] : wiring) {
    if (pe.cube == 0 && pe.pe == 0) continue;
    throw Unsupported{algorithm.name +
                      " isn't written as a plan: it adds up vectors of several PEs of a package, and a "
                      "plan's rank has one"};
  }
}

void record_ranks(const config::AlgorithmSpec& algorithm, const config::MachineSpec& machine,
                  const ccl::Wiring& wiring, ccl::Plan& plan) {
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const RecordedKernel kernel = record_rank(algorithm, args_of_rank(machine, algorithm, rank));
    SpreadKernel made = fits_a_block(kernel, wiring, rank) ? as_a_block(kernel) : spread(kernel, plan, rank);
    plan.scratch_chunks[static_cast<std::size_t>(rank)] = made.scratch;
    std::vector<PlanBlock>& blocks = plan.blocks[static_cast<std::size_t>(rank)];
    for (SpreadBlock& one : made.blocks) {
      blocks.push_back(block_of(wiring, rank, static_cast<int>(blocks.size()), std::move(one)));
      plan.channels = std::max(plan.channels, blocks.back().channel + 1);
    }
  }
  ccl::mark_awaited(plan);
}

}  // namespace

ccl::Plan plan_of_kernel(const config::AlgorithmSpec& algorithm, int ranks) {
  const config::MachineSpec machine = machine_of_packages(ranks);
  const ccl::Wiring wiring = ccl::wiring_of(unlimited(algorithm), machine);
  require_one_pe(algorithm, wiring);
  const ccl::CollectiveEntry& row = ccl::collective(algorithm.collective);
  const std::int64_t n = args_of_rank(machine, algorithm, 0).n_elem;
  const auto count = static_cast<std::size_t>(ranks);
  ccl::Plan plan{.name = algorithm.name,
                 .file = algorithm.name,
                 .protocol = "Simple",
                 .collective = algorithm.collective,
                 .in_place = row.in_place,
                 .chunks = static_cast<int>(std::max(n, row.out_elems(n, ranks))),
                 .scratch_chunks = std::vector<int>(count),
                 .blocks = std::vector<std::vector<PlanBlock>>(count)};
  record_ranks(algorithm, machine, wiring, plan);
  if (!ccl::walk(plan, {}).empty() || !ccl::judge(plan).right())
    throw Unsupported{algorithm.name +
                      " isn't written as a plan: its steps need another order than thread blocks'"};
  return plan;
}

}  // namespace kbsim::host
