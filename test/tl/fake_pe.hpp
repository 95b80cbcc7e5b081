#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/tl/load_store.hpp"
#include "kbsim/tl/pending_state.hpp"
#include "kbsim/tl/tl.hpp"

namespace kbsim::test {

/// A PE that only records its commands, which checks them; tests complete the started ones.
class FakePe : public PeBackend {
 public:
  explicit FakePe(Simulation& sim) : sim_{sim} { log.add_lane("pe"); }
  ProgramPlace programs{.id = {0, 1, 2}, .count = {10, 20, 30}};

  [[nodiscard]] const ProgramPlace& grid() const override { return programs; }
  [[nodiscard]] PeCoord place() const override { return {3, 2, 1}; }
  [[nodiscard]] MachineShape machine() const override { return {8, 16, 4}; }
  [[nodiscard]] Time clock() const override { return clock_; }
  void observe(Time t) override { clock_ = std::max(clock_, t); }

  void count(const std::source_location&) override { ++counted; }
  [[nodiscard]] TilePtr execute(const EngineCommand& command) override {
    commands.push_back(command);
    log.record(described(command));
    return tile(command.shape, command.dtype);
  }
  [[nodiscard]] TilePtr view(const TilePtr&, Shape shape, DType dtype) override { return tile(shape, dtype); }
  void range(std::string_view name, Time begin, Time end) override {
    ranges.push_back({std::string{name}, begin, end});
  }
  [[nodiscard]] PendingPtr issue(const MemoryCommand& command) override {
    if (const auto* load = command.get_if<LoadCommand>()) blocks.push_back(load->from);
    if (const auto* store = command.get_if<StoreCommand>()) blocks.push_back(store->to);
    if (const auto* gather = command.get_if<GatherCommand>()) gathers.push_back(*gather);
    if (const auto* load = command.get_if<MaskedLoadCommand>()) masked_loads.push_back(*load);
    if (const auto* store = command.get_if<MaskedStoreCommand>()) masked_stores.push_back(*store);
    if (const auto* atomic = command.get_if<AtomicCommand>()) atomics.push_back(*atomic);
    if (const auto* put = command.get_if<PutCommand>()) puts.push_back(*put);
    if (const auto* signal = command.get_if<SignalCommand>()) {
      signals.push_back(*signal);
      return start(SignalWait{.va = signal->word.va, .until = signal->until}, signal->at);
    }
    return start(CommandWait{command.kind().name}, command.at());
  }
  [[nodiscard]] PendingPtr barrier(std::source_location at) override {
    return start(CommandWait{"barrier"}, at);
  }
  [[nodiscard]] PendingPtr send(Dir, const TilePtr&, int, std::source_location at) override {
    return start(CommandWait{"send"}, at);
  }
  [[nodiscard]] PendingPtr recv(Dir, Shape, DType, int, std::source_location at) override {
    return start(CommandWait{"recv"}, at);
  }
  [[nodiscard]] PendingPtr composite(const CompositeCommand& command) override {
    composites.push_back(command);
    return start(CommandWait{"composite"}, command.at);
  }
  [[nodiscard]] PendingPtr sync(std::source_location at) override { return start(CommandWait{"sync"}, at); }
  [[nodiscard]] PendingPtr item(const TilePtr&, std::int64_t element, std::source_location at) override {
    items.push_back(element);
    return start(CommandWait{"item"}, at);
  }
  void dropped(const PendingState& pending) noexcept override { drops.push_back(pending.what().text()); }
  void detached(PendingPtr pending) override { detachments.push_back(std::move(pending)); }

  [[nodiscard]] TilePtr tile(Shape shape, DType dtype) {
    return std::make_shared<TileState>(*this, shape, dtype);
  }

  struct Range {
    std::string name;
    Time begin;
    Time end;
  };
  int counted = 0;
  std::vector<EngineCommand> commands;
  oplog::OpLog log;
  std::vector<Range> ranges;
  std::vector<Block> blocks;
  std::vector<AtomicCommand> atomics;
  std::vector<GatherCommand> gathers;
  std::vector<MaskedLoadCommand> masked_loads;
  std::vector<MaskedStoreCommand> masked_stores;
  std::vector<PutCommand> puts;
  std::vector<SignalCommand> signals;
  std::vector<CompositeCommand> composites;
  std::vector<std::int64_t> items;
  std::vector<PendingPtr> started;
  std::vector<std::string> drops;
  std::vector<PendingPtr> detachments;

 private:
  oplog::Op described(const EngineCommand& command) {
    oplog::Op op{.id = log.reserve(0),
                 .kind = command.kind,
                 .params = command.params,
                 .dtype = command.dtype,
                 .shape = command.shape};
    for (const TilePtr& input : command.inputs) {
      if (!input) continue;
      const std::int64_t bytes = input->shape().bytes(input->dtype()).count();
      op.inputs.push_back({.slices = {{{}, 0, bytes}}, .shape = input->shape(), .dtype = input->dtype()});
    }
    if (!command.label.empty()) {
      const auto label = std::as_bytes(std::span{command.label});
      op.data = std::make_shared<const std::vector<std::byte>>(label.begin(), label.end());
    }
    return op;
  }

  PendingPtr start(const Identity& what, std::source_location at) {
    started.push_back(std::make_shared<PendingState>(sim_, *this, what, at));
    return started.back();
  }

  Simulation& sim_;
  Time clock_{};
};

/// Two PEs, and the vocabulary of each.
struct Kernel {
  Simulation sim;
  FakePe pe{sim};
  FakePe other{sim};
  TL tl{pe};
  TL other_tl{other};
};

/// The text of a fault at that line of the calling file.
inline std::string here(int line, const std::string& text,
                        const std::source_location& at = std::source_location::current()) {
  const std::string file = at.file_name();
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line) + ": " + text;
}

/// The text of the KernelFault that `act` ends with, "" if it doesn't.
inline std::string fault(const std::function<void()>& act) {
  try {
    act();
    return "";
  } catch (const KernelFault& found) {
    return found.what();
  }
}

}  // namespace kbsim::test
