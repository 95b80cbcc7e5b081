#pragma once

#include "kbsim/hw/component.hpp"
#include "kbsim/hw/pe_commands.hpp"
#include "kbsim/hw/pe_engine.hpp"

namespace kbsim::hw {

class PeDma;
class PeIpcq;

struct PeSchedulerSpec {
  int tile_m = 32;
  int tile_k = 64;
  int tile_n = 32;
  [[nodiscard]] GemmTile tile() const { return {.m = tile_m, .k = tile_k, .n = tile_n}; }
  static void describe(FieldList<PeSchedulerSpec>& f) {
    f.add("tile_m", &PeSchedulerSpec::tile_m, at_least(1), "rows of a tile of A and of the output");
    f.add("tile_k", &PeSchedulerSpec::tile_k, at_least(1), "columns of a tile of A, rows of one of B");
    f.add("tile_n", &PeSchedulerSpec::tile_n, at_least(1), "columns of a tile of B and of the output");
  }
};

/// Takes the kernel's commands as pe_cpu issues them and hands each to its unit at once.
class PeScheduler : public Component {
 public:
  PeScheduler(Fabric& fabric, NodeId id, PeSchedulerSpec spec);

  void start(Machine& machine) override;
  [[nodiscard]] const PeSchedulerSpec& tile_plan() const { return spec_; }

  void submit(Time at, PeCommand command) { commands_.post(at, std::move(command)); }

 private:
  Task<> run();

  PeSchedulerSpec spec_;
  PeDma* dma_ = nullptr;
  PeIpcq* ipcq_ = nullptr;
  Mailbox<PeCommand> commands_;
};

}  // namespace kbsim::hw
