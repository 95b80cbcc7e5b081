#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/mock/world.hpp"
#include "kbsim/replay/numbers.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/pending.hpp"

namespace kbsim::mock {

class Barriers;
class Memory;
class Pe;
class Queue;
class Signals;
struct Ends;

/// The numbers of a tile, as bytes.
using Value = std::shared_ptr<const replay::Buffer>;

/// The launch that a kernel runs in. The n-th kernels of all PEs of a SIP in a run are one launch.
struct LaunchId {
  int sip = 0;
  std::size_t number = 0;
  friend bool operator==(const LaunchId&, const LaunchId&) = default;
};

/// A tile with its numbers. A received tile holds its slot until it is destroyed; a view holds its base.
class MockTile : public TileState {
 public:
  MockTile(Pe& owner, Shape shape, DType dtype, Value value, Queue* queue = nullptr,
           std::uint64_t number = 0);
  MockTile(TilePtr base, Shape shape, DType dtype, Value value)
      : TileState{base->owner(), shape, dtype}, value_{std::move(value)}, base_{holder(std::move(base))} {}
  ~MockTile() override;

  [[nodiscard]] const Value& value() const { return value_; }

 private:
  static TilePtr holder(TilePtr base) {
    TilePtr of_view = static_cast<const MockTile&>(*base).base_;
    return of_view ? of_view : base;
  }

  Value value_;
  TilePtr base_;  // never a view itself
  Queue* queue_ = nullptr;
  std::uint64_t number_ = 0;
};

/// One run of a kernel on a PE. Operations that leave the PE are done at once, except waits in a queue.
class Pe : public PeBackend {
 public:
  struct Around {
    Simulation& sim;
    const WorldSpec& spec;
    Memory& memory;
    Ends& ends;
    std::vector<Printed>& printed;
    Barriers& barriers;
    Signals& signals;
    LaunchId launch;
  };
  Pe(PeCoord at, Around around)
      : at_{at},
        around_{around},
        grid_{.id = {at.pe, at.cube, at.sip},
              .count = {around.spec.pes, around.spec.cubes, around.spec.sips}} {}

  [[nodiscard]] const ProgramPlace& grid() const override { return grid_; }
  [[nodiscard]] PeCoord place() const override { return at_; }
  [[nodiscard]] MachineShape machine() const override;
  [[nodiscard]] Time clock() const override { return {}; }
  void observe(Time /*t*/) override {}

  void count(const std::source_location& at) override;
  [[nodiscard]] TilePtr execute(const EngineCommand& command) override;
  [[nodiscard]] TilePtr view(const TilePtr& tile, Shape shape, DType dtype) override;
  void range(std::string_view /*name*/, Time /*begin*/, Time /*end*/) override {}

  [[nodiscard]] PendingPtr issue(const MemoryCommand& command) override;
  [[nodiscard]] PendingPtr send(Dir dir, const TilePtr& tile, int tag, std::source_location at) override;
  [[nodiscard]] PendingPtr recv(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) override;
  [[nodiscard]] PendingPtr composite(const CompositeCommand& command) override;
  [[nodiscard]] PendingPtr barrier(std::source_location at) override;
  [[nodiscard]] PendingPtr sync(std::source_location at) override { return done("sync", nullptr, at); }
  [[nodiscard]] PendingPtr item(const TilePtr& tile, std::int64_t element, std::source_location at) override;
  void dropped(const PendingState& pending) noexcept override;
  void detached(PendingPtr pending) override { detached_.push_back(std::move(pending)); }

  /// The kernel has returned: waits for its detached operations. KernelFault if it dropped one.
  [[nodiscard]] Task<> finish();

  /// The rest is for the functions that carry out kinds of commands.
  [[nodiscard]] PendingPtr pending(const Identity& what, std::source_location at);
  /// An operation that is done at once.
  [[nodiscard]] PendingPtr done(std::string_view call, TilePtr tile, std::source_location at);
  /// Bytes of memory. KernelFault that names the call unless they are allocated.
  [[nodiscard]] std::span<std::byte> memory(std::uint64_t va, Bytes n, std::string_view call,
                                            const std::source_location& at);
  [[nodiscard]] Signals& signals() { return around_.signals; }
  [[nodiscard]] Simulation& sim() { return around_.sim; }

 private:
  [[nodiscard]] TilePtr streamed(const CompositeCommand::Input& input, const std::source_location& at);
  [[nodiscard]] TilePtr number(double value, DType dtype, const std::source_location& at);
  void require_slot(Dir dir, Bytes n, std::string_view call, const std::source_location& at) const;
  [[nodiscard]] Queue& queue(Flow use, Dir dir, Bytes n, const std::source_location& at) const;

  PeCoord at_;
  Around around_;
  ProgramPlace grid_;
  std::uint32_t barriers_ = 0;
  std::int64_t commands_ = 0;
  std::optional<std::string> dropped_;
  std::vector<PendingPtr> detached_;
};

/// The mock's functions for memory commands: one file per kind.
[[nodiscard]] MemoryOps<Pe>& memory_ops();

}  // namespace kbsim::mock
