#pragma once

#include <memory>
#include <vector>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/pe/composite.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/hw/pe/pe_engine.hpp"

namespace kbsim::hw {

class PeDma;
class PeIpcq;

struct PeSchedulerSpec {
  static constexpr Range kTileExtent = between(1, 65536);  // a tile's multiplications are counted
  int tile_m = 32;
  int tile_k = 64;
  int tile_n = 32;
  Bandwidth fetch_rate = Bandwidth::gbs(1024.0);
  Time fetch = 2_ns;
  [[nodiscard]] GemmTile tile() const { return {.m = tile_m, .k = tile_k, .n = tile_n}; }
  static void describe(auto& f) {
    f.add("tile_m", &PeSchedulerSpec::tile_m, kTileExtent, "rows of a tile of A and of the output");
    f.add("tile_k", &PeSchedulerSpec::tile_k, kTileExtent, "columns of a tile of A, rows of one of B");
    f.add("tile_n", &PeSchedulerSpec::tile_n, kTileExtent, "columns of a tile of B and of the output");
    f.add("fetch_bw_gbs", &PeSchedulerSpec::fetch_rate, kPositive,
          "of a composite's operands from TCM into the engine, on a path of its own");
    f.add("fetch_ns", &PeSchedulerSpec::fetch, kNotNegative, "latency of the fetch of a tile");
  }
};

/// Takes the kernel's commands as pe_cpu issues them and hands each to its unit at once. Composites it cuts
/// into tiles by its own tile plan and streams itself, in their order: the next one's tiles enter behind
/// the last of one under way if both have room, and no sooner than the one before that has ended.
class PeScheduler : public Component {
 public:
  PeScheduler(Fabric& fabric, NodeId id, PeSchedulerSpec spec);

  void start(Machine& machine) override;
  [[nodiscard]] const PeSchedulerSpec& tile_plan() const { return spec_; }

  void submit(Time at, PeCommand command) { commands_.post(at, std::move(command)); }

  /// Those that have ended, in the order of their ends.
  [[nodiscard]] const std::vector<CompositeRecord>& composites() const { return composites_; }

 private:
  Task<> run();
  Task<> run_composites();
  Task<> run_composite(std::shared_ptr<CompositeRun> composite);
  [[nodiscard]] bool together(const CompositeRun& first, const CompositeRun& second) const;

  PeSchedulerSpec spec_;
  PeDma* dma_ = nullptr;
  PeIpcq* ipcq_ = nullptr;
  PeGemm* gemm_ = nullptr;
  PeMath* math_ = nullptr;
  oplog::OpLog* log_ = nullptr;
  Mailbox<PeCommand> commands_;
  Mailbox<std::shared_ptr<CompositeJob>> jobs_;
  std::vector<CompositeRecord> composites_;
};

}  // namespace kbsim::hw
