#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/i_math.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/hw/pe/tile_pipeline.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/pieces_read.hpp"
#include "kbsim/sim/pool_allocator.hpp"
#include "kbsim/tl/composite.hpp"

namespace kbsim::hw {

class IDma;
class StreamTransfer;
struct Tiling;

/// Record of one composite. `stages` are the ones it has of: DMA in, fetch, GEMM (or math), epilogue, DMA
/// out.
struct CompositeRecord {
  std::string kernel;
  Shape a;
  Shape b;
  Time start{};
  Time end{};
  std::int64_t tiles = 0;        // T: tiles of the output, times tiles along K
  std::int64_t macs = 0;         // of the operation itself
  std::int64_t padded_macs = 0;  // of its whole tiles
  std::vector<StageRecord> stages;
};

/// A composite as its kernel hands it to the scheduler.
class CompositeJob {
 public:
  CompositeCommand command;
  std::string name;  // of the kernel
  std::shared_ptr<KernelContext> kernel;
  std::array<Pieces, 2> from;           // of the operands that are in memory
  Pieces to;                            // of the output, if it goes to memory
  std::shared_ptr<PeTile> result;       // the output, if it stays in TCM
  std::vector<oplog::ValueId> values;   // one per operation; the last is the output
  std::vector<oplog::ValueId> numbers;  // constants of the epilogue's steps that have one
  PendingPtr pending;
  std::uint64_t order = 0;
  Time mmu{};
  std::int64_t in_flight = 1;
  Cause why;  // of its arrival, if causes are kept
};

/// The tiles of a composite. A gemm's tiles go in the order m, n, k, K fastest. An elementwise composite has
/// a row of tiles of tile_m x tile_n elements each.
class TilePlan {
 public:
  TilePlan(const CompositeCommand& command, GemmTile tile);

  /// Whether 64 bits hold the multiplications of its whole tiles.
  [[nodiscard]] bool countable() const;
  [[nodiscard]] std::int64_t tiles() const { return m_ * n_ * k_; }
  [[nodiscard]] std::int64_t macs() const { return gemm_ ? rows_ * depth_ * columns_ : 0; }
  [[nodiscard]] std::int64_t padded_macs() const { return gemm_ ? tiles() * tile_.m * tile_.k * tile_.n : 0; }
  /// The output tile is complete after this tile.
  [[nodiscard]] bool completes(std::int64_t tile) const { return tile % k_ == k_ - 1; }
  /// No earlier tile has needed this part of operand 0 or 1.
  [[nodiscard]] bool first_use(int operand, std::int64_t tile) const;

  /// Bytes of a whole tile of operand 0 or 1; elements of a whole tile of the output.
  [[nodiscard]] Bytes operand_bytes(int operand) const;
  [[nodiscard]] std::int64_t output_elements() const { return tile_.m * tile_.n; }
  /// The rows of a tile within its array, as offsets and sizes in bytes.
  struct Run {
    std::int64_t offset = 0;
    Bytes bytes;
  };
  [[nodiscard]] PoolVector<Run> operand_runs(int operand, std::int64_t tile) const;
  [[nodiscard]] PoolVector<Run> output_runs(std::int64_t tile) const;

 private:
  bool gemm_;
  GemmTile tile_;
  std::int64_t rows_;
  std::int64_t depth_;
  std::int64_t columns_;
  std::int64_t m_;  // tiles along each
  std::int64_t n_;
  std::int64_t k_;
  std::int64_t in_size_;  // of an element
  std::int64_t out_size_;
};

/// Bytes of the scheduler's part of the TCM that a tile under way takes.
[[nodiscard]] Bytes scheduler_bytes(const CompositeCommand& command, const TilePlan& plan);
/// How many stages a composite has.
[[nodiscard]] std::size_t stages_of(const CompositeCommand& command);

/// One composite under way. DMA in and out are transfers of all tiles that have reached them: their latency
/// is TilePipeline's l_i, the time of a tile's bytes on the route's slowest part a_i. Fetch takes fetch_ns
/// and a whole tile's bytes at fetch_bw_gbs; GEMM and math are the PE's engines. Alone, with equal tiles, it
/// takes TilePipeline's time if no stage that runs once per output takes longer than its K tiles. It gets
/// each stage when the composite before has left it. Numerically: one dot and its epilogue.
class CompositeRun : private TileWork {
 public:
  struct Units {
    IDma* dma;
    IGemm* gemm;
    IMath* math;
    oplog::OpLog* log;
  };
  CompositeRun(Simulation& sim, std::shared_ptr<CompositeJob> job, const Units& units, const Tiling& tiling,
               std::shared_ptr<CompositeRun> before);

  [[nodiscard]] Task<> run();
  /// Its last tile is under way, or it has ended.
  [[nodiscard]] Event& all_entered() { return entered_; }
  [[nodiscard]] Event& ended() { return ended_; }
  /// Bytes that it takes of the scheduler's part of the TCM.
  [[nodiscard]] Bytes tcm() const { return job_->in_flight * scheduler_bytes(job_->command, plan_); }
  /// With depth 1 nothing overlaps.
  [[nodiscard]] bool overlaps() const { return job_->command.depth > 1; }
  [[nodiscard]] const CompositeRecord& record() const { return record_; }

 private:
  enum class Stage { dma_in, fetch, compute, epilogue, dma_out };
  static constexpr std::size_t kStages = 5;

  [[nodiscard]] bool runs(std::size_t stage, std::int64_t tile) const override;
  void begin(std::size_t stage, std::int64_t tile) override;
  [[nodiscard]] Task<> turn(std::size_t stage) override;
  void through(std::size_t stage) override { through_of(stages_[stage]).set(); }
  void entered() override { entered_.set(); }
  [[nodiscard]] Event& through_of(Stage stage) { return *through_[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] Task<Time> run(std::size_t stage, std::int64_t tile) override;
  void begin_read(std::int64_t tile);
  void begin_write(std::int64_t tile);
  [[nodiscard]] Task<Time> read(std::int64_t tile);
  [[nodiscard]] Task<Time> written();
  [[nodiscard]] Task<Time> fetch();
  void because(Time later, const Why& why);
  [[nodiscard]] std::shared_ptr<StreamTransfer> move(bool in, Pieces pieces, std::uint64_t order);
  [[nodiscard]] Time compute_cost() const;
  [[nodiscard]] Time epilogue_cost() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] oplog::Operand operand(int index) const;
  void record_operations();

  Simulation& sim_;
  std::shared_ptr<CompositeJob> job_;
  Units units_;
  TilePlan plan_;
  GemmTile tile_;
  Time fetch_;
  std::vector<Stage> stages_;
  PoolDeque<std::array<std::shared_ptr<StreamTransfer>, 2>>
      coming_;  // of each operand that is streamed, by tile
  PoolDeque<std::shared_ptr<StreamTransfer>> leaving_;
  std::array<oplog::PiecesRead, 2> contents_;  // of operands in memory, as they were read first
  std::shared_ptr<CompositeRun> before_;
  std::array<std::unique_ptr<Event>, kStages> through_;
  Event entered_;
  Event ended_;
  CompositeRecord record_;
};

}  // namespace kbsim::hw
