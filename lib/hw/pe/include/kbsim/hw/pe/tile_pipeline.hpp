#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/channel.hpp"
#include "kbsim/sim/semaphore.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

/// Record of one stage.
struct StageRecord {
  std::string name;
  Time busy{};         // its engine had a tile, or several that it works on side by side
  Time first_start{};  // of a tile
  Time last_end{};
  std::int64_t tiles = 0;
  [[nodiscard]] Time span() const { return last_end - first_start; }
};

/// The work of the stages on a tile.
class TileWork {
 public:
  virtual ~TileWork() = default;
  /// Whether a stage has anything to do for a tile; the last tile passes all stages.
  [[nodiscard]] virtual bool runs(std::size_t stage, std::int64_t tile) const = 0;
  /// A tile has reached a stage, which may still have others before it: starts the work that needn't wait for
  /// them.
  virtual void begin(std::size_t /*stage*/, std::int64_t /*tile*/) {}
  /// The tile's turn: takes the time that is left; returns how long the engine worked of it.
  [[nodiscard]] virtual Task<Time> run(std::size_t stage, std::int64_t tile) = 0;
  /// Waits until a stage is free of earlier work; awaited before its first tile.
  [[nodiscard]] virtual Task<> turn(std::size_t /*stage*/) { co_return; }
  /// A stage has ended its last tile.
  virtual void through(std::size_t /*stage*/) {}
  /// The last tile has entered.
  virtual void entered() {}
};

/// Streams tiles 0, 1, ... through stages, each a coroutine that ends one tile after the other, in order. At
/// most N = 1 + (depth - 1) x stages of them are under way: with depth 1 the next starts when the last has
/// left. If stage i takes a_i a tile, and what it sets off before (begin) adds a latency of l_i, with
/// S = sum (a_i + l_i) and T - 1 = q N + r the whole takes S + r max a_i + q max(S, N max a_i), exactly:
/// without latencies sum a_i + (T - 1) max a_i for depth >= 2, and always T S for depth 1.
class TilePipeline {
 public:
  TilePipeline(Simulation& sim, TileWork& work, std::vector<std::string> stages, std::int64_t tiles,
               std::int64_t in_flight);

  [[nodiscard]] static std::int64_t in_flight(int depth, std::size_t stages) {
    return 1 + (depth - 1) * static_cast<std::int64_t>(stages);
  }

  /// Waits until the last tile has left.
  [[nodiscard]] Task<> run();
  [[nodiscard]] const std::vector<StageRecord>& stages() const { return records_; }

 private:
  Task<> enter();
  Task<> stage(std::size_t index);
  /// Moves on a tile that may enter, or has left stage `index` - 1.
  void pass(std::size_t index, std::int64_t tile);
  /// If all causes are kept: the cause of a stage's progress so far, and of its start with an arrived tile.
  [[nodiscard]] Cause so_far() const;
  void note(std::deque<Cause>& come);
  void go_on(std::deque<Cause>& come, const Cause& own);
  /// The first stage from `index` on that runs for a tile; the number of stages if there is none.
  [[nodiscard]] std::size_t next(std::size_t index, std::int64_t tile) const;

  Simulation& sim_;
  TileWork& work_;
  std::int64_t tiles_;
  std::vector<StageRecord> records_;
  Semaphore places_;                                              // for tiles that may enter
  std::vector<std::unique_ptr<Channel<std::int64_t>>> channels_;  // before each stage
  std::vector<std::deque<Cause>> come_;                           // causes of the tiles in these
  std::deque<Cause> left_;                                        // causes of free places
};

}  // namespace kbsim::hw
