#include "kbsim/oplog/race.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::oplog {
namespace {

std::string speaker(const MemoryAccess& access, const OpLog& log) {
  const AgentMark& by = *access.issue->by();
  if (access.rank >= 0) return fmt::format("host program of rank {}", access.rank);
  const std::string& lane = log.lane_name(access.op.lane);
  return by.kernel.empty() ? lane : fmt::format("kernel {} on {}", by.kernel, lane);
}

std::string line(const MemoryAccess& access) {
  return access.at.line() > 0 ? " at " + kbsim::to_string(to_place(access.at)) : "";
}

// For a command with several accesses, as a copy, the end may be that of an earlier one.
std::string in_flight(const MemoryAccess& access, Time found) {
  const std::optional<Time> ended = access.issue->ended;
  if (!ended || *ended > found || *ended < access.begin)
    return fmt::format("in flight since {}", kbsim::to_string(access.begin));
  return fmt::format("in flight from {} to {}", kbsim::to_string(access.begin), kbsim::to_string(*ended));
}

std::string described(const MemoryAccess& access, Time found, const OpLog& log) {
  std::string text = fmt::format("{}, {}", speaker(access, log), access.call);
  if (access.op.valid()) text += " of operation " + to_string(access.op);
  return text + line(access) + fmt::format(" ({})", in_flight(access, found));
}

// The wait that is missing.
std::string missing(const Race& race) {
  constexpr std::array<std::string_view, 6> kWhat{"others get it", "the barrier", "the send",
                                                  "the signal",    "the launch",  "the end of its kernel"};
  if (race.unawaited) {
    const bool issued_later = race.a.op.valid() && race.b.op.valid() && race.b.op < race.a.op;
    const auto& [first, second] = issued_later ? std::tie(race.b, race.a) : std::tie(race.a, race.b);
    return fmt::format("the {}{} isn't awaited before the {}{}", first.call, line(first), second.call,
                       line(second));
  }
  if (race.published == Handover::nothing) return "nothing orders them";
  return fmt::format("the {}{} isn't awaited before {}", race.a.call, line(race.a),
                     kWhat[static_cast<std::size_t>(race.published)]);
}

auto order(const MemoryAccess& access) { return std::pair{access.begin, access.op}; }
auto order(const MemoryRange& range) { return std::pair{range.memory.value(), range.address}; }
auto order(const Race& race) {
  return std::tuple{race.found, order(race.a), order(race.b), order(race.where)};
}

std::int64_t end_of(const MemoryRange& range) { return range.address + range.bytes; }

bool may_race(const MemoryAccess& a, const MemoryAccess& b) {
  return (a.write || b.write) && !(a.atomic && b.atomic) && a.issue != b.issue && a.op != b.op;
}

}  // namespace

struct RaceCheck::Access {
  MemoryAccess what;
};

// Accesses that the new one races with, and where they first meet.
struct RaceCheck::Found {
  struct Meeting {
    AccessPtr other;
    MemoryRange where;
  };
  AccessPtr access;
  std::vector<Meeting> meetings = {};
};

std::string describe(const Race& race, const OpLog& log, std::string_view memory) {
  return fmt::format("data race at {} on {} of {} from {:#x}{}{}: {}; and {}; {}",
                     kbsim::to_string(race.found), kbsim::to_string(Bytes{race.where.bytes}), memory,
                     race.where.address, race.in.empty() ? "" : ", in ", race.in,
                     described(race.a, race.found, log), described(race.b, race.found, log), missing(race));
}

RaceCheck::~RaceCheck() { forget_all(); }

void RaceCheck::count(std::ptrdiff_t cells, std::ptrdiff_t accesses) {
  constexpr std::ptrdiff_t kTree = 32;  // of a node of a map
  const std::ptrdiff_t bytes = cells * (std::ptrdiff_t{sizeof(Cells::value_type)} + kTree) +
                               accesses * std::ptrdiff_t{sizeof(AccessPtr)};
  bytes >= 0 ? tally_->add(static_cast<std::size_t>(bytes)) : tally_->sub(static_cast<std::size_t>(-bytes));
}

RaceCheck::Cells& RaceCheck::cells_of(NodeId memory) {
  if (memory.value() >= cells_.size()) cells_.resize(memory.value() + 1);
  return cells_[memory.value()];
}

// The first cell from `at` on; none reaches over it.
RaceCheck::Cells::iterator RaceCheck::split(Cells& cells, std::int64_t at) {
  const auto next = cells.lower_bound(at);
  if (next == cells.begin()) return next;
  const auto before = std::prev(next);
  if (before->second.end <= at) return next;
  count(1, std::ssize(before->second.accesses));
  const auto added = cells.emplace_hint(next, at, before->second);
  before->second.end = at;
  return added;
}

// Calls visit(cell, its bytes) for all of them, in order; new cells have no accesses.
template <class Visit>
void RaceCheck::visit(const MemoryRange& bytes, const Visit& visit) {
  Cells& cells = cells_of(bytes.memory);
  const std::int64_t end = end_of(bytes);
  (void)split(cells, end);
  auto next = split(cells, bytes.address);
  for (std::int64_t at = bytes.address; at < end;) {
    if (next == cells.end() || next->first > at) {
      const std::int64_t gap = next == cells.end() ? end : std::min(end, next->first);
      count(1, 0);
      next = cells.emplace_hint(next, at, Cell{.end = gap});
    }
    visit(next->second, MemoryRange{.memory = bytes.memory, .address = at, .bytes = next->second.end - at});
    at = next->second.end;
    ++next;
  }
  coalesce(cells, bytes.address, end);
}

// Joins neighbours that are alike, from the cell before `first` to the one after `end`.
void RaceCheck::coalesce(Cells& cells, std::int64_t first, std::int64_t end) {
  const auto alike = [](const Cell& a, const Cell& b) {
    return a.accesses.size() == b.accesses.size() && a.left == b.left &&
           std::equal(a.accesses.rbegin(), a.accesses.rend(), b.accesses.rbegin());
  };
  auto cell = cells.lower_bound(first);
  if (cell != cells.begin()) --cell;
  for (auto next = std::next(cell); next != cells.end() && next->first <= end; next = std::next(cell)) {
    if (cell->second.end != next->first || !alike(cell->second, next->second)) {
      cell = next;
      continue;
    }
    cell->second.end = next->second.end;
    count(-1, -std::ssize(next->second.accesses));
    cells.erase(next);
  }
}

std::size_t RaceCheck::add(const MemoryAccess& access, std::span<const MemoryRange> ranges, Time now) {
  if (races_.size() >= kMost) return 0;
  const auto added = std::make_shared<const Access>(access);
  Found found{.access = added};
  for (const MemoryRange& range : ranges) {
    visit(range, [&](Cell& cell, const MemoryRange& bytes) {
      note(cell, added, bytes, found);
      const std::ptrdiff_t before = std::ssize(cell.accesses);
      keep(cell, added);
      count(0, std::ssize(cell.accesses) - before);
    });
  }
  return take(found, now);
}

std::size_t RaceCheck::serve(const MemoryAccess& atomic, const MemoryRange& bytes, Time now) {
  const KnowledgePtr before = left(bytes);
  atomic.issue->gives(before);
  const std::size_t races = add(atomic, std::span{&bytes, 1}, now);
  if (!atomic.write || races_.size() >= kMost) return races;
  const KnowledgePtr published = atomic.issue->published_early(before);
  visit(bytes, [&](Cell& cell, const MemoryRange&) { cell.left = published; });
  return races;
}

KnowledgePtr RaceCheck::left(const MemoryRange& bytes) const {
  if (bytes.memory.value() >= cells_.size()) return nullptr;
  const Cells& cells = cells_[bytes.memory.value()];
  auto cell = cells.upper_bound(bytes.address);
  if (cell != cells.begin() && std::prev(cell)->second.end > bytes.address) --cell;
  KnowledgePtr all;
  for (; cell != cells.end() && cell->first < end_of(bytes); ++cell)
    all = joined(tally_, all, cell->second.left);
  return all;
}

// Bytes that directly follow a known meeting of the two belong to it.
void RaceCheck::note(Cell& cell, const AccessPtr& access, const MemoryRange& bytes, Found& found) {
  for (const AccessPtr& other : cell.accesses) {
    if (!may_race(other->what, access->what) || other->what.issue->comes_before(*access->what.issue))
      continue;
    const auto known = std::ranges::find(found.meetings, other, &Found::Meeting::other);
    if (known == found.meetings.end()) {
      found.meetings.push_back({.other = other, .where = bytes});
    } else if (known->where.memory == bytes.memory && end_of(known->where) == bytes.address) {
      known->where.bytes += bytes.bytes;
    }
  }
}

// An access after the new one comes after the earlier ones with which it would race otherwise. A read stands
// for earlier reads; now and then, reads of other agents are checked for this, too.
void RaceCheck::keep(Cell& cell, const AccessPtr& access) {
  const MemoryAccess& what = access->what;
  if (!cell.accesses.empty() && cell.accesses.back() == access) return;
  const auto is_before = [&](const AccessPtr& other) {
    return other->what.issue != what.issue && other->what.issue->comes_before(*what.issue);
  };
  if (what.write && !what.atomic) {
    std::erase_if(cell.accesses, is_before);
  } else if (what.write) {
    std::erase_if(cell.accesses,
                  [](const AccessPtr& other) { return other->what.atomic && other->what.write; });
  } else {
    const bool all = cell.accesses.size() >= cell.prune_at;
    std::erase_if(cell.accesses, [&](const AccessPtr& other) {
      const bool same = other->what.issue->by() == what.issue->by();
      return !other->what.write && (all || same) && is_before(other);
    });
    if (all) cell.prune_at = std::max<std::size_t>(8, 2 * cell.accesses.size());
  }
  cell.accesses.push_back(access);
}

std::size_t RaceCheck::take(const Found& found, Time now) {
  const std::size_t known = races_.size();
  const MemoryAccess& b = found.access->what;
  for (const auto& [other, where] : found.meetings) {
    const MemoryAccess& a = other->what;
    const bool in_order = order(a) < order(b);
    Race race{.where = where, .a = in_order ? a : b, .b = in_order ? b : a, .found = now};
    race.published = race.a.issue->handover_to(*race.b.issue);
    race.unawaited = a.issue->by() == b.issue->by();
    if (naming_) race.in = naming_(where);
    const auto [same, added] = races_.try_emplace(std::minmax(a.op, b.op), race);
    if (!added && order(race) < order(same->second)) same->second = race;
  }
  return races_.size() - known;
}

void RaceCheck::forget(const MemoryRange& bytes) {
  Cells& cells = cells_of(bytes.memory);
  const auto end = split(cells, end_of(bytes));
  for (auto cell = split(cells, bytes.address); cell != end;) {
    count(-1, -std::ssize(cell->second.accesses));
    cell = cells.erase(cell);
  }
}

void RaceCheck::forget_all() {
  for (Cells& cells : cells_) {
    for (const auto& [first, cell] : cells) count(-1, -std::ssize(cell.accesses));
    cells.clear();
  }
}

std::vector<Race> RaceCheck::races() const {
  std::vector<Race> all;
  for (const auto& [ops, race] : races_) all.push_back(race);
  std::ranges::sort(all, {}, [](const Race& race) { return order(race); });
  return all;
}

}  // namespace kbsim::oplog
