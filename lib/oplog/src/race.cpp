#include "kbsim/oplog/race.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::oplog {
namespace {

std::string described(const MemoryAccess& access, const OpLog& log) {
  std::string text = access.op.valid() ? log.lane_name(access.op.lane) : "the host";
  text += fmt::format(", {} of operation {}", access.call, to_string(access.op));
  if (access.at.line() > 0) text += " at " + kbsim::to_string(to_place(access.at));
  return text + fmt::format(" (in flight since {})", kbsim::to_string(access.begin));
}

bool before(const MemoryAccess& a, const MemoryAccess& b) {
  return std::pair{a.begin, a.op} < std::pair{b.begin, b.op};
}

}  // namespace

std::string describe(const Race& race, const OpLog& log, std::string_view memory) {
  return fmt::format("data race at {} on {} of {} from {:#x}: {}; and {}", kbsim::to_string(race.found),
                     kbsim::to_string(Bytes{race.where.bytes}), memory, race.where.address,
                     described(race.a, log), described(race.b, log));
}

RaceCheck::Token RaceCheck::begin(const MemoryAccess& access, std::vector<MemoryRange> ranges) {
  auto token = static_cast<Token>(in_flight_.size());
  if (unused_.empty()) {
    in_flight_.emplace_back();
  } else {
    token = unused_.back();
    unused_.pop_back();
  }
  for (const MemoryRange& range : ranges) touches_[range.memory.value()].push_back({range, token});
  in_flight_[token] = {.access = access, .ranges = std::move(ranges)};
  return token;
}

std::size_t RaceCheck::end(Token token, Time now) {
  const std::size_t known = races_.size();
  const InFlight& ended = in_flight_[token];
  for (const MemoryRange& range : ended.ranges)
    std::erase_if(touches_[range.memory.value()], [&](const Touch& touch) { return touch.token == token; });
  for (const MemoryRange& range : ended.ranges) compare(ended, range, now);
  unused_.push_back(token);
  return races_.size() - known;
}

void RaceCheck::compare(const InFlight& ended, const MemoryRange& range, Time now) {
  for (const Touch& touch : touches_[range.memory.value()]) {
    const MemoryAccess& other = in_flight_[touch.token].access;
    const std::int64_t first = std::max(range.address, touch.range.address);
    const std::int64_t last = std::min(range.address + range.bytes, touch.range.address + touch.range.bytes);
    const bool writes = ended.access.write || other.write;
    if (first >= last || !writes || other.begin >= now || ended.access.begin >= now) continue;
    if (other.op == ended.access.op) continue;
    const bool in_order = before(ended.access, other);
    const MemoryAccess& a = in_order ? ended.access : other;
    const MemoryAccess& b = in_order ? other : ended.access;
    if (!known_.emplace(a.op, b.op).second) continue;
    races_.push_back({.where = {.memory = range.memory, .address = first, .bytes = last - first},
                      .a = a,
                      .b = b,
                      .found = now});
  }
}

}  // namespace kbsim::oplog
