#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kbsim/sim/channel.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

/// What one stage did.
struct StageRecord {
  std::string name;
  Time busy{};         // the sum of what its engine spent on tiles
  Time first_start{};  // of a tile
  Time last_end{};
  std::int64_t tiles = 0;
  [[nodiscard]] Time span() const { return last_end - first_start; }
};

/// What the stages do to a tile.
class TileWork {
 public:
  virtual ~TileWork() = default;
  /// Whether a stage has anything to do for a tile; the last tile passes all stages.
  [[nodiscard]] virtual bool runs(std::size_t stage, std::int64_t tile) const = 0;
  /// Takes the time that it takes, and says for how much of it the engine worked.
  [[nodiscard]] virtual Task<Time> run(std::size_t stage, std::int64_t tile) = 0;
};

/// Streams tiles 0, 1, ... through stages, each a coroutine that takes one tile at a time, in order, from
/// the channel before it. At most 1 + (depth - 1) x stages tiles are under way: with depth 1 the next one
/// starts when the last one has left. If stage i takes a_i for each of T tiles, the whole takes
/// sum a_i + (T - 1) max a_i for depth >= 2 and T sum a_i for depth 1, exactly.
class TilePipeline {
 public:
  TilePipeline(Simulation& sim, TileWork& work, std::vector<std::string> stages, std::int64_t tiles,
               std::int64_t in_flight);

  [[nodiscard]] static std::int64_t in_flight(int depth, std::size_t stages) {
    return 1 + (depth - 1) * static_cast<std::int64_t>(stages);
  }

  /// Until the last tile has left.
  [[nodiscard]] Task<> run();
  [[nodiscard]] const std::vector<StageRecord>& stages() const { return records_; }

 private:
  Task<> stage(std::size_t index);
  /// The first stage from `index` on that runs for a tile; none: how many there are.
  [[nodiscard]] std::size_t next(std::size_t index, std::int64_t tile) const;

  Simulation& sim_;
  TileWork& work_;
  std::int64_t tiles_;
  std::vector<StageRecord> records_;
  Channel<char> places_;                                          // for tiles that may enter
  std::vector<std::unique_ptr<Channel<std::int64_t>>> channels_;  // before each stage
};

}  // namespace kbsim::hw
