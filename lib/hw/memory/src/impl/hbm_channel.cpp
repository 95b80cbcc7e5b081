#include "kbsim/hw/memory/hbm_channel.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kbsim::hw {
namespace {

// Requests that wait for no earlier one of the same bytes.
bool any_free(const auto& entries) {
  return std::ranges::any_of(entries, [](const auto& entry) { return entry.earlier == 0; });
}

}  // namespace

template <class Times>
HbmChannelOf<Times>::HbmChannelOf(const HbmBanksSpec& spec, Time burst, Times times)
    : spec_{spec},
      times_{times},
      commands_{spec, burst, std::move(times)},
      keepers_(commands_.banks()),
      keeping_(commands_.pseudo_channels()),
      met_(commands_.banks()) {}

template <class Times>
bool HbmChannelOf<Times>::Choice::before(const Choice& other) const {
  return std::tuple{Times::time(start), rank, order} <
         std::tuple{Times::time(other.start), other.rank, other.order};
}

template <class Times>
void HbmChannelOf<Times>::push(const Burst& burst) {
  if (idle()) commands_.catch_up(Times::time(burst.at));
  times_.in_order(clock_, burst.at);
  came_ = burst.at;
  line_.push_back(burst);
  admit(burst.at);
}

// Bursts at the head of the line enter their queues while there is room.
template <class Times>
void HbmChannelOf<Times>::admit(const At& now) {
  while (!line_.empty()) {
    const Burst& burst = line_.front();
    Entries& queue = burst.write ? writes_ : reads_;
    if (std::ssize(queue) >= (burst.write ? spec_.write_queue : spec_.read_queue)) return;
    Entry entry{.id = burst.id,
                .order = arrived_++,
                .number = burst.number,
                .where = commands_.index(burst.place),
                .at = times_.keep(times_.latest({burst.at, now})),
                .write = burst.write,
                .write_back = burst.write_back};
    for (const Entries* earlier : {&reads_, &writes_, &opened_})
      entry.earlier += static_cast<std::uint32_t>(std::ranges::count(*earlier, entry.number, &Entry::number));
    queue.push_back(entry);
    line_.pop_front();
    chosen_ = false;
  }
}

// Begins or ends a batch of writes.
template <class Times>
void HbmChannelOf<Times>::choose_writes() {
  const auto writes = std::ssize(writes_);
  const bool read = any_free(reads_);
  if (beside_reads()) return drain_beside_reads(read);
  const bool enough = writing_ ? writes > spec_.write_low : writes >= spec_.write_high;
  writing_ = (enough || !read) && any_free(writes_);
}

// Writes of a batch are the oldest of their queue. It begins when the last of `write_high` others comes, or
// when no read waits.
template <class Times>
void HbmChannelOf<Times>::drain_beside_reads(bool read) {
  const auto others = std::ranges::find(writes_, false, &Entry::draining);
  if (read && writes_.end() - others < spec_.write_high) return;
  const At begin = read ? others[spec_.write_high - 1].at : clock_;
  const auto end = writes_.end() - (read ? spec_.write_low : 0);
  std::for_each(others, end, [&](Entry& write) {
    write.draining = true;
    write.drains = begin;
  });
}

template <class Times>
bool HbmChannelOf<Times>::in_service(const Entry& entry) const {
  if (entry.earlier > 0) return false;
  if (beside_reads()) return !entry.write || entry.draining;
  return entry.write == writing_;
}

// The request's next command and its earliest start.
template <class Times>
auto HbmChannelOf<Times>::candidate(Entries& from, std::size_t index) -> Choice {
  const Entry& entry = from[index];
  const HbmIndex& where = entry.where;
  Choice choice{.rank = &from == &opened_ ? 0 : 1, .order = entry.order, .from = &from, .index = index};
  const At free = entry.draining ? times_.latest({entry.drains, clock_}) : clock_;
  const At at = times_.turn(entry.at, times_.latest({entry.at, free}));
  const std::int64_t open = commands_.open_row(where);
  if (open == where.row) {
    choice.command = Command::column;
    choice.start = commands_.column(where, entry.write, at);
  } else if (open == HbmCommands::kClosed) {
    choice.command = Command::activate;
    choice.start = commands_.activate(where, at);
  } else if (keepers_[where.bank] == 0) {
    choice.command = Command::precharge;
    choice.start = commands_.precharge(where, at);
  }
  if (choice.rank > 0 && commands_.refreshing(where, Times::time(choice.start))) choice.start = At{kForever};
  return choice;
}

// In each bank only the oldest hits, a read and a write, and the oldest other request can be first; the
// latter waits for older hits. Requests come in order of arrival.
template <class Times>
bool HbmChannelOf<Times>::first_of_bank(const Entry& entry) {
  Met& met = met_[entry.where.bank];
  const bool hit = commands_.open_row(entry.where) == entry.where.row;
  if (hit && met.hit[entry.write] == walk_) return false;
  if (!hit && (met.other == walk_ || met.hit[0] == walk_ || met.hit[1] == walk_)) return false;
  (hit ? met.hit[entry.write] : met.other) = walk_;
  return true;
}

template <class Times>
void HbmChannelOf<Times>::consider(Entries& queue, std::size_t index, Choice& best) {
  if (queue[index].earlier > 0 || !first_of_bank(queue[index])) return;
  const Choice choice = candidate(queue, index);
  if (choice.before(best)) best = choice;
}

template <class Times>
auto HbmChannelOf<Times>::ready_first(Choice best) -> Choice {
  ++walk_;
  if (beside_reads()) return ready_first_of_both(best);
  Entries& queue = writing_ ? writes_ : reads_;
  for (std::size_t i = 0; i < queue.size(); ++i) consider(queue, i, best);
  return best;
}

template <class Times>
auto HbmChannelOf<Times>::ready_first_of_both(Choice best) -> Choice {
  std::size_t read = 0;
  std::size_t write = 0;
  const auto drained =
      static_cast<std::size_t>(std::ranges::find(writes_, false, &Entry::draining) - writes_.begin());
  while (read < reads_.size() || write < drained) {
    const bool read_is_next =
        write == drained || (read < reads_.size() && reads_[read].order < writes_[write].order);
    read_is_next ? consider(reads_, read++, best) : consider(writes_, write++, best);
  }
  return best;
}

// A refresh waits until requests have used the rows that they keep open.
template <class Times>
auto HbmChannelOf<Times>::refresh(std::size_t pc) const -> Choice {
  return {.start = keeping_[pc] == 0 ? commands_.refresh(pc) : At{kForever},
          .rank = 2,
          .command = Command::refresh,
          .index = pc};
}

// Commands that don't depend on the queue in service.
template <class Times>
auto HbmChannelOf<Times>::upkeep() -> Choice {
  Choice best{.rank = 3};
  for (std::size_t i = 0; i < opened_.size(); ++i) {
    const Choice choice = candidate(opened_, i);
    if (choice.before(best)) best = choice;
  }
  for (std::size_t pc = 0; pc < keeping_.size(); ++pc) {
    const Choice choice = refresh(pc);
    if (choice.before(best)) best = choice;
  }
  return best;
}

template <class Times>
auto HbmChannelOf<Times>::choose() -> Choice {
  times_.only_look(true);
  const Choice upkeep = this->upkeep();
  choose_writes();
  const Choice best = ready_first(upkeep);
  const Choice old = aged(best);
  times_.only_look(false);
  if (old.from == nullptr) return best;
  return Times::time(old.start) < kForever ? old : upkeep;
}

// The oldest request, if it is too old when the best command begins.
template <class Times>
auto HbmChannelOf<Times>::aged(const Choice& best) -> Choice {
  Choice oldest;
  for (Entries* entries : {&reads_, &writes_, &opened_}) {
    const auto first = entries == &opened_ ? std::ranges::min_element(opened_, {}, &Entry::order)
                                           : entries->begin();  // in order of arrival
    if (first == entries->end() || (oldest.from != nullptr && first->order > oldest.order)) continue;
    oldest = {
        .order = first->order, .from = entries, .index = static_cast<std::size_t>(first - entries->begin())};
  }
  if (oldest.from == nullptr || Times::time(best.start) == kForever) return {};
  if (Times::time(best.start) < Times::time((*oldest.from)[oldest.index].at) + spec_.max_age) return {};
  return candidate(*oldest.from, oldest.index);
}

template <class Times>
Time HbmChannelOf<Times>::next() {
  if (idle()) return kForever;
  if (!chosen_) next_ = choose();
  chosen_ = true;
  return Times::time(next_.start);
}

template <class Times>
void HbmChannelOf<Times>::advance(Time now, std::vector<Served>& served) {
  while (!idle() && next() <= now) {
    const Choice choice = again(next_);
    times_.in_order(came_, choice.start);
    clock_ = times_.keep(times_.latest({clock_, choice.start}));
    chosen_ = false;
    issue(choice, served);
  }
}

// The same choice, with all causes of its start.
template <class Times>
auto HbmChannelOf<Times>::again(const Choice& choice) -> Choice {
  if constexpr (std::is_same_v<Times, PlainTimes>) {
    return choice;
  } else {
    Choice same = choice;
    same.start = times_.keep(choice.from == nullptr ? commands_.refresh(choice.index)
                                                    : candidate(*choice.from, choice.index).start);
    if (times_.keeps_orders()) note_rivals(same);
    return same;
  }
}

// Notes the order of commands that could begin within a nanosecond after the chosen one.
template <class Times>
void HbmChannelOf<Times>::note_rivals(const Choice& chosen) {
  constexpr Time kNear = 1_ns;
  const Time until = Times::time(chosen.start) + kNear;
  const auto is_near = [&](const Choice& other) {
    const bool same = other.from == chosen.from && other.index == chosen.index;
    return !same && Times::time(other.start) <= until;
  };
  // Only near commands get causes.
  const auto look = [&](const auto& choice) {
    times_.only_look(true);
    const bool near = is_near(choice());
    times_.only_look(false);
    if (near) times_.in_order(chosen.start, choice().start);
  };
  for (Entries* from : {&opened_, &reads_, &writes_}) {
    for (std::size_t i = 0; i < from->size(); ++i) {
      if (from == &opened_ || in_service((*from)[i])) look([&] { return candidate(*from, i); });
    }
  }
  for (std::size_t pc = 0; pc < keeping_.size(); ++pc) look([&] { return refresh(pc); });
}

template <class Times>
void HbmChannelOf<Times>::count(Entry& entry) {
  if (entry.counted) return;
  entry.counted = true;
  const std::int64_t open = commands_.open_row(entry.where);
  ++(open == entry.where.row        ? counts_.hits
     : open == HbmCommands::kClosed ? counts_.misses
                                    : counts_.conflicts);
}

template <class Times>
void HbmChannelOf<Times>::issue(const Choice& choice, std::vector<Served>& served) {
  if (choice.command == Command::refresh) return commands_.do_refresh(choice.index, choice.start);
  Entry& entry = (*choice.from)[choice.index];
  count(entry);
  if (choice.command == Command::column) return transfer(choice, served);
  if (choice.command == Command::precharge) return commands_.do_precharge(entry.where, choice.start);
  commands_.do_activate(entry.where, choice.start);
  ++keepers_[entry.where.bank];
  ++keeping_[entry.where.pc];
  opened_.push_back(entry);
  take(*choice.from, choice.index);
}

template <class Times>
void HbmChannelOf<Times>::transfer(const Choice& choice, std::vector<Served>& served) {
  const Entry entry = (*choice.from)[choice.index];
  const auto slot = commands_.do_column(entry.where, entry.write, choice.start);
  served.push_back({.id = entry.id, .slot = slot});
  if (choice.from == &opened_) {
    --keepers_[entry.where.bank];
    --keeping_[entry.where.pc];
  }
  release(entry, slot.end);
  take(*choice.from, choice.index);
}

template <class Times>
void HbmChannelOf<Times>::release(const Entry& served, const At& end) {
  for (Entries* later : {&reads_, &writes_, &opened_}) {
    for (Entry& other : *later) {
      if (other.number != served.number || other.order <= served.order) continue;
      --other.earlier;
      if (other.write_back) other.at = times_.keep(times_.latest({other.at, end}));
    }
  }
}

template <class Times>
void HbmChannelOf<Times>::take(Entries& from, std::size_t index) {
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
  admit(clock_);
}

template <class Times>
HbmCounts HbmChannelOf<Times>::counts() const {
  HbmCounts all = counts_;
  all.refreshes = commands_.refreshes();
  return all;
}

template class HbmChannelOf<PlainTimes>;
template class HbmChannelOf<CausedTimes>;

}  // namespace kbsim::hw
