#include "kbsim/hw/race_watch.hpp"

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

void RaceWatch::watch(oplog::RaceMode mode) {
  check_ = mode == oplog::RaceMode::off ? nullptr : std::make_unique<oplog::RaceCheck>();
  fails_ = mode == oplog::RaceMode::error;
}

RaceWatch::Token RaceWatch::begin(oplog::MemoryAccess access, std::span<const Piece> pieces) {
  if (!on() || pieces.empty()) return std::nullopt;
  ranges_.clear();
  for (const Piece& piece : pieces) {
    const MemoryAddress at = locate(graph_, piece.memory.pa);
    ranges_.push_back({.memory = at.memory, .address = at.address, .bytes = piece.memory.bytes.count()});
  }
  return begin(access);
}

RaceWatch::Token RaceWatch::begin(oplog::MemoryAccess access, MemoryAddress at, Bytes bytes) {
  if (!on()) return std::nullopt;
  ranges_.assign(1, {.memory = at.memory, .address = at.address, .bytes = bytes.count()});
  return begin(access);
}

RaceWatch::Token RaceWatch::begin(oplog::MemoryAccess access) {
  access.begin = sim_.now();
  return check_->begin(access, ranges_);
}

void RaceWatch::end(Token token) {
  if (!token || check_->end(*token, sim_.now()) == 0 || !fails_ || failed_) return;
  failed_ = true;
  (void)sim_.spawn("race check", fail());
}

// Later, when all races of this time are known and the first of them is the same in any order of events.
Task<> RaceWatch::fail() {
  co_await sim_.delay(1_ps);
  throw KernelFault{reports().front()};
}

std::vector<std::string> RaceWatch::reports(Time before) const {
  std::vector<std::string> lines;
  if (!on()) return lines;
  for (const oplog::Race& race : check_->races()) {
    if (race.found < before) lines.push_back(describe(race, log_, graph_.node(race.where.memory).name));
  }
  return lines;
}

}  // namespace kbsim::hw
