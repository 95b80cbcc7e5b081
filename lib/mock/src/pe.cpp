#include "kbsim/mock/pe.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/replay/checks.hpp"
#include "kbsim/replay/execute.hpp"
#include "kbsim/tl/barrier.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/pending_state.hpp"
#include "kbsim/tl/queue_waits.hpp"

#include "mock_barrier.hpp"
#include "mock_memory.hpp"
#include "mock_signals.hpp"
#include "queue.hpp"

namespace kbsim::mock {
namespace {

const MockTile& mock_tile(const TilePtr& tile) { return static_cast<const MockTile&>(*tile); }

KernelFault fault(const std::source_location& at, std::string_view text) {
  return KernelFault{fmt::format("{}: {}", to_string(to_place(at)), text)};
}

Bytes size(const TilePtr& tile) { return tile->shape().bytes(tile->dtype()); }

Value shared(replay::Buffer bytes) { return std::make_shared<const replay::Buffer>(std::move(bytes)); }

// The command as the arithmetic needs it: shapes and parameters, no history.
oplog::Op described(const EngineCommand& command) {
  oplog::Op op{
      .kind = command.kind, .params = command.params, .dtype = command.dtype, .shape = command.shape};
  for (const TilePtr& input : command.inputs) {
    if (input) op.inputs.push_back({.slices = {}, .shape = input->shape(), .dtype = input->dtype()});
  }
  return op;
}

Value computed(const EngineCommand& command) {
  std::vector<std::span<const std::byte>> inputs;
  for (const TilePtr& input : command.inputs) {
    if (input) inputs.emplace_back(*mock_tile(input).value());
  }
  try {
    return shared(replay::execute(described(command), inputs));
  } catch (const KernelFault& error) {
    throw fault(command.at, error.what());
  }
}

}  // namespace

MockTile::MockTile(Pe& owner, Shape shape, DType dtype, Value value, Queue* queue, std::uint64_t number)
    : TileState{owner, shape, dtype}, value_{std::move(value)}, queue_{queue}, number_{number} {}

MockTile::~MockTile() {
  if (queue_ != nullptr) queue_->release(number_);
}

MachineShape Pe::machine() const {
  return {.pes_per_cube = around_.spec.pes,
          .cubes_per_package = around_.spec.cubes,
          .packages = around_.spec.sips};
}

void Pe::count(const std::source_location& at) {
  if (++commands_ <= around_.spec.max_commands) return;
  throw fault(at, fmt::format("the kernel has issued {} commands: is this an endless loop? If not, raise "
                              "max_commands of the world",
                              around_.spec.max_commands));
}

TilePtr Pe::execute(const EngineCommand& command) {
  if (!oplog::only_reports(command.kind)) count(command.at);
  Value value = computed(command);
  if (command.kind == oplog::OpKind::check) {
    if (const auto text = replay::untrue(*value, command.dtype, command.shape))
      throw KernelFault{fmt::format("{}: {}", command.label, *text)};
  }
  if (command.kind == oplog::OpKind::print) {
    around_.printed.push_back({.pe = at_,
                               .label = std::string{command.label},
                               .shape = command.shape,
                               .numbers = replay::to_doubles(*value, command.dtype)});
  }
  return std::make_shared<MockTile>(*this, command.shape, command.dtype, std::move(value));
}

TilePtr Pe::view(const TilePtr& tile, Shape shape, DType dtype) {
  return std::make_shared<MockTile>(tile, shape, dtype, mock_tile(tile).value());
}

PendingPtr Pe::pending(const Identity& what, std::source_location at) {
  count(at);
  return std::make_shared<PendingState>(around_.sim, *this, what, at);
}

PendingPtr Pe::done(std::string_view call, TilePtr tile, std::source_location at) {
  PendingPtr state = pending(CommandWait{call}, at);
  state->complete(std::move(tile), {});
  return state;
}

std::span<std::byte> Pe::memory(std::uint64_t va, Bytes n, std::string_view call,
                                const std::source_location& at) {
  try {
    return around_.memory.at(va, n);
  } catch (const KernelFault& unmapped) {
    throw fault(at, fmt::format("{} of {} at {:#x}: {}", call, to_string(n), va, unmapped.what()));
  }
}

PendingPtr Pe::issue(const MemoryCommand& command) { return memory_ops().issue(*this, command); }

MemoryOps<Pe>& memory_ops() {
  static MemoryOps<Pe> ops{"memory operation of the mock"};
  return ops;
}

PendingPtr Pe::send(Dir dir, const TilePtr& tile, int tag, std::source_location at) {
  PendingPtr state = pending(SendWait{dir}, at);
  queue(Flow::sends, dir, size(tile), at)
      .send({mock_tile(tile).value(), {tile->shape(), tile->dtype(), tag}, state, around_.launch});
  return state;
}

PendingPtr Pe::recv(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) {
  const bool any = dir == Dir::any && !around_.ends.in.empty();
  PendingPtr state = pending(RecvWait{dir}, at);
  Inbox& inbox = around_.ends.inbox;
  if (any) require_slot(dir, shape.bytes(dtype), "recv", at);
  Queue* const from = any ? nullptr : &queue(Flow::receives, dir, shape.bytes(dtype), at);
  inbox.receive(from, {this, around_.launch, inbox.next_order(), {shape, dtype, tag}, state});
  return state;
}

PendingPtr Pe::barrier(std::source_location at) {
  PendingPtr state = pending(BarrierWait{++barriers_}, at);
  around_.barriers.arrive(barriers_, at_, state);
  return state;
}

Queue& Pe::queue(Flow use, Dir dir, Bytes n, const std::source_location& at) const {
  const bool out = use == Flow::sends;
  const std::string_view call = out ? "send" : "recv";
  const auto& ends = out ? around_.ends.out : around_.ends.in;
  const auto& others = out ? around_.ends.in : around_.ends.out;
  const auto found = ends.find(dir.name());
  if (found == ends.end()) {
    if (others.contains(dir.name()))
      throw fault(at, fmt::format("{}: {}", call, wrong_way(dir.name(), at_, answer(use))));
    std::set<std::string> there;
    for (const auto* all : {&ends, &others}) {
      for (const auto& [name, queue] : *all) there.insert(name);
    }
    throw fault(at, fmt::format("{}: no queue '{}' on {}; installed: {}", call, dir.name(), to_string(at_),
                                there.empty() ? "none: queues come with the .wiring of the world"
                                              : fmt::format("{}", fmt::join(there, ", "))));
  }
  require_slot(dir, n, call, at);
  return *found->second;
}

void Pe::require_slot(Dir dir, Bytes n, std::string_view call, const std::source_location& at) const {
  const Bytes slot = around_.spec.queues.slot_size;
  if (slot == 0_B || n <= slot) return;
  throw fault(at, fmt::format("{} '{}': {} do not fit a slot of {}; send in chunks, or raise slot_size", call,
                              dir.name(), to_string(n), to_string(slot)));
}

void Pe::dropped(const PendingState& pending) noexcept {
  if (!dropped_) dropped_ = fmt::format("{}: {}", to_string(to_place(pending.at())), pending.what().text());
}

Task<> Pe::finish() {
  if (dropped_)
    throw KernelFault{*dropped_ + " was never awaited; co_await it, or detach() it if that is meant"};
  for (const PendingPtr& pending : detached_) {
    co_await pending->event().wait(pending->at());
    (void)pending->observe();  // rethrows its error
  }
}

}  // namespace kbsim::mock
