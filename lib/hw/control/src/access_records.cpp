#include "access_records.hpp"

#include <utility>

namespace kbsim::hw {
namespace {

// The memories of a record are those of `pes` PEs of `cubes` cubes; PE -1: the memory of a cube.
void count(OrderRecord& record, const std::set<PeCoord>& memories) {
  std::set<int> cubes;
  std::set<int> pes;
  for (const PeCoord& memory : memories) {
    cubes.insert(memory.cube);
    pes.insert(memory.pe);
  }
  record.cubes = static_cast<int>(cubes.size());
  record.pes = static_cast<int>(memories.size());
  record.first_pe = *pes.begin();
  record.last_pe = *pes.rbegin();
}

}  // namespace

std::size_t AccessRecords::sent(OrderPhase phase, int rank, const PeCoord& memory, Time now) {
  const auto same = [&](const Accesses& one) {
    return one.record.phase == phase && one.record.rank == rank && one.record.sip == memory.sip;
  };
  std::size_t i = all_.size();
  while (i > 0 && all_[i - 1].record.sent == now && !same(all_[i - 1])) --i;
  const bool found = i > 0 && all_[i - 1].record.sent == now;
  if (!found) {
    all_.push_back({.record = {.phase = phase,
                               .rank = rank,
                               .sip = memory.sip,
                               .sent = now,
                               .activity = {now, now, now}}});  // no PE works
  }
  const std::size_t number = found ? i - 1 : all_.size() - 1;
  Accesses& accesses = all_[number];
  accesses.memories.insert(memory);
  ++accesses.open;
  return number;
}

void AccessRecords::answered(std::size_t record, Time now, const Cause& why) {
  Accesses& accesses = all_[record];
  accesses.record.reported = now;
  accesses.record.why = why;
  if (--accesses.open == 0) count(accesses.record, accesses.memories);
}

std::vector<OrderRecord> AccessRecords::finished() const {
  std::vector<OrderRecord> records;
  for (const Accesses& accesses : all_) {
    if (accesses.open == 0) records.push_back(accesses.record);
  }
  return records;
}

void AccessRecords::visit(RepeatVisitor& visitor) {
  visitor.records(all_, [](Accesses& one, Time by) { one.record = shifted(std::move(one.record), by); });
}

}  // namespace kbsim::hw
