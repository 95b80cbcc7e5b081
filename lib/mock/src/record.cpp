#include "kbsim/mock/record.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/at_line.hpp"
#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/copy.hpp"
#include "kbsim/tl/gather.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/masked.hpp"
#include "kbsim/tl/pending_state.hpp"
#include "kbsim/tl/queue_memory.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim::mock {
namespace {

using Unit = Issued::Unit;

// Shape and dtype of the elements that a memory command moves, and whether it gives a tile.
struct Moved {
  Shape shape;
  DType dtype = f16;
  bool gives_tile = false;
};

Moved moved(const MemoryCommand& command) {
  if (const auto* load = command.get_if<LoadCommand>()) return {load->from.shape, load->from.dtype, true};
  if (const auto* store = command.get_if<StoreCommand>()) return {store->to.shape, store->to.dtype};
  if (const auto* load = command.get_if<MaskedLoadCommand>()) return {load->shape, load->from.dtype, true};
  if (const auto* store = command.get_if<MaskedStoreCommand>())
    return {store->tile->shape(), store->tile->dtype()};
  if (const auto* copy = command.get_if<CopyCommand>()) return {copy->shape, copy->from.dtype};
  if (const auto* gather = command.get_if<GatherCommand>()) return {gather->shape, gather->base.dtype, true};
  if (const auto* put = command.get_if<PutCommand>()) return {put->tile->shape(), put->tile->dtype()};
  if (const auto* wait = command.get_if<SignalCommand>()) return {Shape{1}, wait->word.dtype};
  if (const auto* atomic = command.get_if<AtomicCommand>())
    return {atomic->operand->shape(), atomic->to.dtype, true};
  return {};
}

/// A PE that only records the commands that it gets.
class Recorder : public PeBackend {
 public:
  Recorder(Simulation& sim, const RecordSpec& spec)
      : sim_{sim},
        spec_{spec},
        grid_{.id = {spec.at.pe, spec.at.cube, spec.at.sip}, .count = {spec.pes, spec.cubes, spec.sips}} {}

  [[nodiscard]] const ProgramPlace& grid() const override { return grid_; }
  [[nodiscard]] PeCoord place() const override { return spec_.at; }
  [[nodiscard]] MachineShape machine() const override {
    return {.pes_per_cube = spec_.pes, .cubes_per_package = spec_.cubes, .packages = spec_.sips};
  }
  [[nodiscard]] Time clock() const override { return {}; }
  void observe(Time /*t*/) override {}
  void range(std::string_view /*name*/, Time /*begin*/, Time /*end*/) override {}

  void count(const std::source_location& at) override {
    if (++counted_ > spec_.max_commands)
      throw fault(at, fmt::format("the kernel has issued {} commands", spec_.max_commands));
  }
  [[nodiscard]] TilePtr execute(const EngineCommand& command) override;
  [[nodiscard]] TilePtr view(const TilePtr& /*tile*/, Shape shape, DType dtype) override {
    return tile(shape, dtype);
  }
  [[nodiscard]] PendingPtr issue(const MemoryCommand& command) override;
  [[nodiscard]] PendingPtr send(Dir dir, const TilePtr& tile, int tag, std::source_location at) override {
    return sent(dir, tile->shape(), tile->dtype(), tag, at);
  }
  [[nodiscard]] PendingPtr recv(Dir dir, Shape shape, DType dtype, int tag,
                                std::source_location at) override {
    const TilePtr got = tile(shape, dtype);
    got->came_from(dir);
    return received(dir, got, tag, at);
  }
  [[nodiscard]] PendingPtr composite(const CompositeCommand& command) override {
    note({Unit::composite, std::string{"composite"}, {}, command.shape, command.dtype, 0, command.at});
    return done(command.out ? nullptr : tile(command.shape, command.dtype), command.at);
  }
  [[nodiscard]] PendingPtr barrier(std::source_location at) override {
    note({.unit = Unit::barrier, .name = "barrier", .direction = {}, .shape = {}, .at = at});
    return done(nullptr, at);
  }
  [[nodiscard]] PendingPtr sync(std::source_location at) override {
    note({.unit = Unit::sync, .name = "sync", .direction = {}, .shape = {}, .at = at});
    return done(nullptr, at);
  }
  [[nodiscard]] PendingPtr item(const TilePtr& /*tile*/, std::int64_t /*element*/,
                                std::source_location at) override {
    throw fault(at, "item: a recording has no numbers; run the kernel in a mock::World");
  }
  void dropped(const PendingState& pending) noexcept override {
    if (!dropped_) dropped_ = fmt::format("{}: {}", to_string(to_place(pending.at())), pending.what().text());
  }
  void detached(PendingPtr /*pending*/) override {}

  [[nodiscard]] Recording take() {
    if (dropped_) throw KernelFault{*dropped_ + " was never awaited; co_await it, or detach() it"};
    return {std::move(commands_)};
  }

 private:
  [[nodiscard]] static KernelFault fault(const std::source_location& at, std::string_view text) {
    return KernelFault{fmt::format("{}: {}", to_string(to_place(at)), text)};
  }
  [[nodiscard]] TilePtr tile(Shape shape, DType dtype) {
    return std::make_shared<TileState>(*this, shape, dtype);
  }
  void note(Issued command) {
    count(command.at);
    commands_.push_back(std::move(command));
  }
  [[nodiscard]] PendingPtr done(TilePtr tile, std::source_location at) {
    auto state = std::make_shared<PendingState>(sim_, *this, CommandWait{"recorded"}, at);
    state->complete(std::move(tile), {});
    return state;
  }
  [[nodiscard]] PendingPtr sent(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) {
    note({Unit::send, "send", std::string{dir.name()}, shape, dtype, tag, at});
    return done(nullptr, at);
  }
  [[nodiscard]] PendingPtr received(Dir dir, const TilePtr& got, int tag, std::source_location at) {
    note({Unit::recv, "recv", std::string{dir.name()}, got->shape(), got->dtype(), tag, at});
    return done(got, at);
  }

  Simulation& sim_;
  RecordSpec spec_;
  ProgramPlace grid_;
  std::int64_t counted_ = 0;
  std::vector<Issued> commands_;
  std::optional<std::string> dropped_;
};

TilePtr Recorder::execute(const EngineCommand& command) {
  const bool number = command.kind == oplog::OpKind::fill && command.shape.rank() == 0;
  if (!number && !oplog::only_reports(command.kind)) {
    note({.unit = command.kind == oplog::OpKind::dot ? Unit::gemm : Unit::math,
          .name = std::string{oplog::name_of(command.kind, command.params)},
          .direction = {},
          .shape = command.shape,
          .dtype = command.dtype,
          .at = command.at});
  }
  return tile(command.shape, command.dtype);
}

PendingPtr Recorder::issue(const MemoryCommand& command) {
  if (const auto* send = command.get_if<SendFromCommand>())
    return sent(send->to, send->shape, send->from.dtype, send->tag, send->at);
  if (const auto* recv = command.get_if<RecvIntoCommand>()) {
    (void)received(recv->from, tile(recv->shape, recv->to.dtype), recv->tag, recv->at);
    return done(nullptr, recv->at);
  }
  const Moved what = moved(command);
  const auto* atomic = command.get_if<AtomicCommand>();
  note({.unit = Unit::dma,
        .name = std::string{atomic != nullptr ? to_string(atomic->op) : command.kind().name},
        .direction = {},
        .shape = what.shape,
        .dtype = what.dtype,
        .at = command.at()});
  return done(what.gives_tile ? tile(what.shape, what.dtype) : nullptr, command.at());
}

Task<> runs(Recorder* pe, KernelCall call) {
  TL tl{*pe};
  co_await call.start(tl);
}

bool inside(int at, int count) { return at >= 0 && at < count; }

void require_pe(const RecordSpec& spec) {
  if (inside(spec.at.sip, spec.sips) && inside(spec.at.cube, spec.cubes) && inside(spec.at.pe, spec.pes))
    return;
  throw UsageError{fmt::format("there is no {}: {} of {} of {}", to_string(spec.at),
                               counted(spec.sips, "SIP"), counted(spec.cubes, "cube"),
                               counted(spec.pes, "PE"))};
}

}  // namespace

std::int64_t Recording::count(Issued::Unit unit) const {
  return std::ranges::count(commands, unit, &Issued::unit);
}

std::int64_t Recording::count(Issued::Unit unit, Dir direction) const {
  return std::ranges::count_if(
      commands, [&](const Issued& one) { return one.unit == unit && Dir{one.direction} == direction; });
}

std::int64_t Recording::count(std::string_view name) const {
  return std::ranges::count(commands, name, &Issued::name);
}

Recording record(const RecordSpec& spec, KernelCall call, std::source_location at) {
  at_line(at, [&] {
    require_pe(spec);
    if (!call.start) throw UsageError{fmt::format("kernel '{}' has no function to start", call.name)};
  });
  Simulation sim;
  Recorder pe{sim, spec};
  (void)sim.spawn(call.name, runs(&pe, std::move(call)));
  try {
    sim.run();
  } catch (const ProcessError& error) {
    std::rethrow_if_nested(error);
    throw;
  }
  return pe.take();
}

Recording record(const RecordSpec& spec, const std::string& kernel, const std::any& args,
                 std::source_location at) {
  return record(spec, at_line(at, [&] { return kernels().at(kernel).bind(args); }), at);
}

}  // namespace kbsim::mock
