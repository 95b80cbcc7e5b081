#include "kbsim/oplog/race.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::oplog {
namespace {

std::string speaker(const MemoryAccess& access, const OpLog& log) {
  if (access.rank >= 0) return fmt::format("host program of rank {}", access.rank);
  const std::string& lane = log.lane_name(access.op.lane);
  return access.kernel.empty() ? lane : fmt::format("kernel {} on {}", access.kernel, lane);
}

std::string described(const MemoryAccess& access, const OpLog& log) {
  std::string text = fmt::format("{}, {}", speaker(access, log), access.call);
  if (access.op.valid()) text += " of operation " + to_string(access.op);
  if (access.at.line() > 0) text += " at " + kbsim::to_string(to_place(access.at));
  return text + fmt::format(" (in flight since {})", kbsim::to_string(access.begin));
}

auto order(const MemoryAccess& access) { return std::pair{access.begin, access.op}; }
auto order(const MemoryRange& range) { return std::pair{range.memory.value(), range.address}; }
auto order(const Race& race) {
  return std::tuple{race.found, order(race.a), order(race.b), order(race.where)};
}

std::int64_t end_of(const MemoryRange& range) { return range.address + range.bytes; }

// Ascending, and what touches or overlaps as one.
void join(std::vector<MemoryRange>& ranges) {
  std::ranges::sort(ranges, {}, [](const MemoryRange& range) { return order(range); });
  std::size_t n = 0;
  for (const MemoryRange range : ranges) {
    const bool joins =
        n > 0 && ranges[n - 1].memory == range.memory && range.address <= end_of(ranges[n - 1]);
    if (!joins) {
      ranges[n++] = range;
    } else {
      ranges[n - 1].bytes = std::max(end_of(ranges[n - 1]), end_of(range)) - ranges[n - 1].address;
    }
  }
  ranges.resize(n);
}

// Takes the ranges of the first memory off the front.
std::span<const MemoryRange> next_memory(std::span<const MemoryRange>& ranges) {
  const auto other =
      std::ranges::find_if(ranges, [&](const MemoryRange& r) { return r.memory != ranges.front().memory; });
  const auto n = static_cast<std::size_t>(other - ranges.begin());
  const auto first = ranges.first(n);
  ranges = ranges.subspan(n);
  return first;
}

// The first bytes that are in both, of one memory; none, if there are none.
MemoryRange common(std::span<const MemoryRange> a, std::span<const MemoryRange> b) {
  if (end_of(a.back()) <= b.front().address || end_of(b.back()) <= a.front().address) return {};
  while (!a.empty() && !b.empty()) {
    const std::int64_t first = std::max(a.front().address, b.front().address);
    const std::int64_t last = std::min(end_of(a.front()), end_of(b.front()));
    if (first < last) return {.memory = a.front().memory, .address = first, .bytes = last - first};
    auto& behind = end_of(a.front()) < end_of(b.front()) ? a : b;
    behind = behind.subspan(1);
  }
  return {};
}

}  // namespace

std::string describe(const Race& race, const OpLog& log, std::string_view memory) {
  return fmt::format("data race at {} on {} of {} from {:#x}: {}; and {}", kbsim::to_string(race.found),
                     kbsim::to_string(Bytes{race.where.bytes}), memory, race.where.address,
                     described(race.a, log), described(race.b, log));
}

RaceCheck::Token RaceCheck::begin(const MemoryAccess& access, std::span<const MemoryRange> ranges) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Token>(in_flight_.size()));
    in_flight_.emplace_back();
  }
  const Token token = unused_.back();
  unused_.pop_back();
  InFlight& begun = in_flight_[token];
  begun.access = access;
  begun.ranges.assign(ranges.begin(), ranges.end());
  join(begun.ranges);
  for (std::span<const MemoryRange> left = begun.ranges; !left.empty();) {
    const auto of_one = next_memory(left);
    const std::size_t memory = of_one.front().memory.value();
    if (memory >= touches_.size()) touches_.resize(memory + 1);
    touches_[memory].push_back({.token = token, .ranges = of_one});
  }
  return token;
}

std::size_t RaceCheck::end(Token token, Time now) {
  const std::size_t known = races_.size();
  const InFlight& ended = in_flight_[token];
  for (std::span<const MemoryRange> left = ended.ranges; !left.empty();) {
    const auto of_one = next_memory(left);
    std::vector<Touch>& touches = touches_[of_one.front().memory.value()];
    std::erase_if(touches, [&](const Touch& touch) { return touch.token == token; });
    for (const Touch& touch : touches) compare(ended.access, of_one, touch, now);
  }
  unused_.push_back(token);
  return races_.size() - known;
}

// Of a pair that ends at several places at one time, the first place is told.
void RaceCheck::compare(const MemoryAccess& ended, std::span<const MemoryRange> ranges, const Touch& touch,
                        Time now) {
  const MemoryAccess& other = in_flight_[touch.token].access;
  const bool both_in_flight = ended.begin < now && other.begin < now;
  const bool may_race = (ended.write || other.write) && !(ended.atomic && other.atomic);
  if (!may_race || !both_in_flight || ended.op == other.op) return;
  const MemoryRange where = common(ranges, touch.ranges);
  if (where.bytes == 0) return;
  const bool in_order = order(ended) < order(other);
  const Race race{
      .where = where, .a = kept(in_order ? ended : other), .b = kept(in_order ? other : ended), .found = now};
  const auto [known, added] = races_.try_emplace(std::minmax(ended.op, other.op), race);
  if (!added && order(race) < order(known->second)) known->second = race;
}

// The name of its kernel outlives the kernel.
MemoryAccess RaceCheck::kept(MemoryAccess access) {
  access.kernel = *kernels_.emplace(access.kernel).first;
  return access;
}

std::vector<Race> RaceCheck::races() const {
  std::vector<Race> all;
  for (const auto& [ops, race] : races_) all.push_back(race);
  std::ranges::sort(all, {}, [](const Race& race) { return order(race); });
  return all;
}

}  // namespace kbsim::oplog
