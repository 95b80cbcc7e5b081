#include "kbsim/hw/pe/tile_pipeline.hpp"

#include <algorithm>

#include "kbsim/sim/when_all.hpp"

namespace kbsim::hw {

TilePipeline::TilePipeline(Simulation& sim, TileWork& work, std::vector<std::string> stages,
                           std::int64_t tiles, std::int64_t in_flight)
    : sim_{sim},
      work_{work},
      tiles_{tiles},
      places_{sim, "places for tiles", static_cast<std::size_t>(in_flight)} {
  for (std::string& name : stages) {
    channels_.push_back(std::make_unique<Channel<std::int64_t>>(sim, "tiles for " + name,
                                                                static_cast<std::size_t>(in_flight)));
    records_.push_back({.name = std::move(name)});
  }
  come_.resize(records_.size());
  if (so_far()) left_.resize(static_cast<std::size_t>(in_flight));
}

Cause TilePipeline::so_far() const {
  const Causes* const causes = sim_.causes();
  return causes != nullptr && causes->keeps_all() ? causes->current() : Cause{};
}

void TilePipeline::note(std::deque<Cause>& come) {
  if (Cause now = so_far()) [[unlikely]]
    come.push_back(std::move(now));
}

// The cause is the later of two: the stage is free, the tile is there.
void TilePipeline::go_on(std::deque<Cause>& come, const Cause& own) {
  if (come.empty()) return;
  Causes& causes = *sim_.causes();
  causes.set_current(causes.latest(causes.latest(causes.current(), own), come.front()));
  come.pop_front();
}

Task<> TilePipeline::run() {
  std::vector<Task<>> parts;
  parts.push_back(enter());
  for (std::size_t i = 0; i < records_.size(); ++i) parts.push_back(stage(i));
  co_await when_all(std::move(parts));
}

std::size_t TilePipeline::next(std::size_t index, std::int64_t tile) const {
  while (index < records_.size() && !work_.runs(index, tile)) ++index;
  return index;
}

// A channel has room for all tiles that may be under way.
void TilePipeline::pass(std::size_t index, std::int64_t tile) {
  const std::size_t to = next(index, tile);
  if (to == records_.size()) {
    note(left_);
    places_.give();
    return;
  }
  work_.begin(to, tile);
  note(come_[to]);
  (void)channels_[to]->try_send(tile);
}

Task<> TilePipeline::enter() {
  for (std::int64_t tile = 0; tile < tiles_; ++tile) {
    const Cause own = so_far();
    co_await places_.take();
    go_on(left_, own);
    pass(0, tile);
  }
  work_.entered();
}

Task<> TilePipeline::stage(std::size_t index) {
  StageRecord& record = records_[index];
  for (std::int64_t tile = 0; tile < tiles_; ++tile) {
    if (!work_.runs(index, tile)) continue;
    const Cause own = so_far();
    [[maybe_unused]] const std::int64_t arrived = co_await channels_[index]->receive();
    go_on(come_[index], own);
    if (record.tiles == 0) co_await work_.turn(index);
    if (record.tiles++ == 0) record.first_start = sim_.now();
    const Time busy = co_await work_.run(index, tile);
    record.busy += busy;
    record.last_end = sim_.now();
    pass(index + 1, tile);
  }
  work_.through(index);
}

}  // namespace kbsim::hw
