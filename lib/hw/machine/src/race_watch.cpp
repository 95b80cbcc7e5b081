#include "kbsim/hw/race_watch.hpp"

#include <iterator>

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

void RaceWatch::watch(oplog::RaceMode mode) {
  fails_ = mode == oplog::RaceMode::error;
  if (mode == oplog::RaceMode::off) return;
  tally_ = std::make_shared<oplog::RaceTally>();
  check_ = std::make_unique<oplog::RaceCheck>(
      tally_, [this](const oplog::MemoryRange& bytes) { return name_of(bytes); });
  orders_.watch(tally_, [this] { check_->forget_all(); });
}

oplog::MemoryRange RaceWatch::range(const topology::PhysRange& bytes) const {
  const MemoryAddress at = locate(graph_, bytes.pa);
  return {.memory = at.memory, .address = at.address, .bytes = bytes.bytes.count()};
}

void RaceWatch::begin(oplog::MemoryAccess access, std::span<const Piece> pieces) {
  if (!on() || !access.issue || pieces.empty()) return;
  ranges_.clear();
  for (const Piece& piece : pieces) {
    const oplog::MemoryRange next = range(piece.memory);
    const bool joins = !ranges_.empty() && ranges_.back().memory == next.memory &&
                       ranges_.back().address + ranges_.back().bytes == next.address;
    if (joins) {
      ranges_.back().bytes += next.bytes;
    } else {
      ranges_.push_back(next);
    }
  }
  access.begin = sim_.now();
  found(check_->add(access, ranges_, sim_.now()));
}

void RaceWatch::begin(oplog::MemoryAccess access, MemoryAddress at, Bytes bytes) {
  if (!on() || !access.issue || bytes == 0_B) return;
  ranges_.assign(1, {.memory = at.memory, .address = at.address, .bytes = bytes.count()});
  access.begin = sim_.now();
  found(check_->add(access, ranges_, sim_.now()));
}

void RaceWatch::asks(NodeId reply_to, Token token, oplog::MemoryAccess atomic) {
  if (!on() || !atomic.issue) return;
  atomic.begin = sim_.now();
  atomics_.insert_or_assign({reply_to, token}, std::move(atomic));
}

void RaceWatch::serves(NodeId reply_to, Token token, MemoryAddress at, Bytes bytes) {
  if (!on()) return;
  const auto asked = atomics_.extract({reply_to, token});
  if (asked.empty()) return;
  const oplog::MemoryRange where{.memory = at.memory, .address = at.address, .bytes = bytes.count()};
  found(check_->serve(asked.mapped(), where, sim_.now()));
}

void RaceWatch::name(const topology::PhysRange& bytes, const std::shared_ptr<const std::string>& of) {
  if (!on() || bytes.bytes == 0_B) return;
  for_each_part(graph_, bytes, [&](const topology::PhysRange& part, Bytes) {
    const oplog::MemoryRange where = range(part);
    names_[{where.memory.value(), where.address}] = {.end = where.address + where.bytes, .of = of};
  });
}

std::string RaceWatch::name_of(const oplog::MemoryRange& bytes) const {
  const auto next = names_.upper_bound({bytes.memory.value(), bytes.address});
  if (next == names_.begin()) return "";
  const auto& [begin, named] = *std::prev(next);
  return begin.first == bytes.memory.value() && bytes.address < named.end ? *named.of : "";
}

void RaceWatch::forget(const topology::PhysRange& bytes) {
  if (!on() || bytes.bytes == 0_B) return;
  for_each_part(graph_, bytes, [&](const topology::PhysRange& part, Bytes) {
    const oplog::MemoryRange where = range(part);
    check_->forget(where);
    names_.erase({where.memory.value(), where.address});
  });
}

void RaceWatch::found(std::size_t races) {
  if (races == 0 || !fails_ || failed_) return;
  failed_ = true;
  (void)sim_.spawn("race check", fail());
}

// Fails 1 ps later: then all races of this time are known, and the first is the same in any order of events.
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

Bytes RaceWatch::memory() const { return tally_ ? Bytes{static_cast<std::int64_t>(tally_->peak)} : Bytes{}; }

}  // namespace kbsim::hw
