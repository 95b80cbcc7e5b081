#include "plan_recorder.hpp"

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/copy.hpp"
#include "kbsim/tl/kernel.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/pending_state.hpp"
#include "kbsim/tl/queue_memory.hpp"

namespace kbsim::host {
namespace {

class PlanRecorder;

/// An awaited message from a PE to another of its package.
struct AwaitedMessage {
  PlanRecorder* pe = nullptr;
  PendingPtr state;
  Shape shape;
  DType dtype = f32;
  std::optional<std::uint64_t> to = {};  // address to store it at; none: it becomes a tile
};

/// State that the PEs of a rank share: all their actions, and messages among them, by the receivers' queues.
struct PackageRecord {
  const ccl::Wiring& wiring;
  int rank = 0;
  int ranks = 1;
  int pes = 1;
  std::string kernel;
  RecordedKernel recorded = {};
  std::map<PeQueue, std::deque<std::size_t>> messages = {};
  std::map<PeQueue, std::deque<AwaitedMessage>> awaited = {};
};

/// A PE that records the contents of a kernel's tiles and their uses. Data from memory and other packages
/// arrives at once; a message from its own package is the value that was sent.
class PlanRecorder final : public PeBackend {
 public:
  PlanRecorder(Simulation& sim, PackageRecord& package, int pe)
      : sim_{sim},
        package_{package},
        pe_{pe},
        grid_{.id = {pe, 0, package.rank}, .count = {package.pes, 1, package.ranks}} {}

  [[nodiscard]] const ProgramPlace& grid() const override { return grid_; }
  [[nodiscard]] PeCoord place() const override { return {package_.rank, 0, pe_}; }
  [[nodiscard]] MachineShape machine() const override {
    return {.pes_per_cube = package_.pes, .cubes_per_package = 1, .packages = package_.ranks};
  }
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
    if (peer_here(dir)) return received_here({pe_, dir}, shape, dtype, {}, at);
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

  /// A message that this PE waits for has arrived.
  void arrive(const AwaitedMessage& awaited, std::size_t number) {
    TilePtr got = awaited.to ? nullptr : tile(number, awaited.shape, awaited.dtype);
    if (awaited.to) stored(number, *awaited.to);
    awaited.state->complete(std::move(got), {});
  }

 private:
  [[nodiscard]] Unsupported refusal(std::string_view why) const {
    return Unsupported{fmt::format("{} isn't written as a plan: {}", package_.kernel, why)};
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
    package_.recorded.values.push_back(made);
    return package_.recorded.values.size() - 1;
  }
  TilePtr made(RecordedValue sum, const EngineCommand& command) {
    const std::size_t number = value(sum, command.shape);
    package_.recorded.events.push_back(
        {.kind = RecordedEvent::Kind::sum, .value = number, .queue = {.pe = pe_}});
    return tile(number, command.shape, command.dtype);
  }

  [[nodiscard]] static PlanChunk chunk_at(std::uint64_t va) {
    const bool output = va >= kRecordedOutput;
    const std::uint64_t bytes = va - (output ? kRecordedOutput : kRecordedInput);
    return {.buffer = output ? PlanBuffer::output : PlanBuffer::input,
            .index = static_cast<int>(bytes / static_cast<std::uint64_t>(itemsize(f32)))};
  }
  std::size_t memory(std::uint64_t va, const Shape& shape) { return value({.memory = chunk_at(va)}, shape); }

  // The receiving queue if it is in the same package; none if `dir` leads to another package.
  [[nodiscard]] std::optional<PeQueue> peer_here(Dir dir) const {
    if (dir == Dir::any) return std::nullopt;
    const PeCoord me{package_.rank, 0, pe_};
    for (const ccl::Neighbour& one : package_.wiring.at(me)) {
      if (Dir{one.direction} != dir || one.peer.sip != package_.rank) continue;
      return PeQueue{.pe = one.peer.pe, .label = Dir{ccl::reverse_direction(package_.wiring, me, one)}};
    }
    return std::nullopt;
  }

  void sent(Dir dir, std::size_t number) {
    if (const auto to = peer_here(dir)) return sent_here(*to, number);
    package_.recorded.sends.insert({pe_, dir});
    package_.recorded.events.push_back(
        {.kind = RecordedEvent::Kind::send, .value = number, .queue = {pe_, dir}});
  }
  void sent_here(const PeQueue& to, std::size_t number) {
    std::deque<AwaitedMessage>& awaited = package_.awaited[to];
    if (awaited.empty()) return package_.messages[to].push_back(number);
    const AwaitedMessage first = awaited.front();
    awaited.pop_front();
    first.pe->arrive(first, number);
  }
  [[nodiscard]] PendingPtr received_here(const PeQueue& from, const Shape& shape, DType dtype,
                                         std::optional<std::uint64_t> to, std::source_location at) {
    auto state = std::make_shared<PendingState>(sim_, *this, CommandWait{"recorded"}, at);
    const AwaitedMessage awaited{.pe = this, .state = state, .shape = shape, .dtype = dtype, .to = to};
    std::deque<std::size_t>& messages = package_.messages[from];
    if (messages.empty()) {
      package_.awaited[from].push_back(awaited);
    } else {
      const std::size_t number = messages.front();
      messages.pop_front();
      arrive(awaited, number);
    }
    return state;
  }
  TilePtr received(Dir dir, Shape shape, DType dtype) {
    if (dir == Dir::any) throw refusal("it takes whatever message comes first");
    package_.recorded.receives.insert({pe_, dir});
    const std::size_t number = value({}, shape);
    package_.recorded.events.push_back(
        {.kind = RecordedEvent::Kind::recv, .value = number, .queue = {pe_, dir}});
    const TilePtr got = tile(number, shape, dtype);
    got->came_from(dir);
    return got;
  }
  void stored(std::size_t number, std::uint64_t va) {
    package_.recorded.events.push_back(
        {.kind = RecordedEvent::Kind::store, .value = number, .to = chunk_at(va), .queue = {.pe = pe_}});
  }

  Simulation& sim_;
  PackageRecord& package_;
  int pe_;
  ProgramPlace grid_;
  std::int64_t counted_ = 0;
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
    if (peer_here(recvs->from))
      return received_here({pe_, recvs->from}, recvs->shape, recvs->to.dtype, recvs->to.va, recvs->at);
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

}  // namespace

RecordedKernel record_rank(const config::AlgorithmSpec& algorithm, const CollectiveArgs& args,
                           const ccl::Wiring& wiring) {
  Simulation sim;
  PackageRecord package{.wiring = wiring,
                        .rank = args.rank,
                        .ranks = args.world_size,
                        .pes = args.pes,
                        .kernel = algorithm.name};
  std::list<PlanRecorder> pes;
  for (const auto& [pe, neighbours] : wiring) {
    if (pe.sip != args.rank) continue;
    KernelCall call = kernels().at(algorithm.kernel).bind(args);
    const std::string name = call.name;
    (void)sim.spawn(name, record_kernel(&pes.emplace_back(sim, package, pe.pe), std::move(call)));
  }
  try {
    sim.run();
  } catch (const ProcessError& error) {
    std::rethrow_if_nested(error);
    throw;
  }
  return std::move(package.recorded);
}

}  // namespace kbsim::host
