#include "kbsim/hw/memory/hbm_channel.hpp"

#include <algorithm>
#include <tuple>

namespace kbsim::hw {
namespace {

// Requests that wait for no earlier one of the same bytes.
bool any_free(const auto& entries) {
  return std::ranges::any_of(entries, [](const auto& entry) { return entry.earlier == 0; });
}

}  // namespace

HbmChannel::HbmChannel(const HbmBanksSpec& spec, Time burst)
    : spec_{spec},
      commands_{spec, burst},
      keepers_(commands_.banks()),
      keeping_(commands_.pseudo_channels()),
      met_(commands_.banks()) {}

bool HbmChannel::Choice::before(const Choice& other) const {
  return std::tuple{start, rank, order} < std::tuple{other.start, other.rank, other.order};
}

void HbmChannel::push(const HbmBurst& burst) {
  if (idle()) commands_.catch_up(burst.at);
  line_.push_back(burst);
  admit(burst.at);
}

// Those at the head of the line, as long as their queues have room.
void HbmChannel::admit(Time now) {
  while (!line_.empty()) {
    const HbmBurst& burst = line_.front();
    Entries& queue = burst.write ? writes_ : reads_;
    if (std::ssize(queue) >= (burst.write ? spec_.write_queue : spec_.read_queue)) return;
    Entry entry{.id = burst.id,
                .order = arrived_++,
                .number = burst.number,
                .where = commands_.index(burst.place),
                .at = std::max(burst.at, now),
                .write = burst.write,
                .write_back = burst.write_back};
    for (const Entries* earlier : {&reads_, &writes_, &opened_})
      entry.earlier += static_cast<std::uint32_t>(std::ranges::count(*earlier, entry.number, &Entry::number));
    queue.push_back(entry);
    line_.pop_front();
    chosen_ = false;
  }
}

HbmChannel::Entries& HbmChannel::in_service() {
  const auto writes = std::ssize(writes_);
  const bool read = any_free(reads_);
  const bool enough = writing_ ? writes > spec_.write_low : writes >= spec_.write_high;
  writing_ = (enough || !read) && any_free(writes_);
  return writing_ ? writes_ : reads_;
}

// The command that it needs next, and when that can begin.
HbmChannel::Choice HbmChannel::candidate(Entries& from, std::size_t index) {
  const Entry& entry = from[index];
  const HbmIndex& where = entry.where;
  Choice choice{.rank = &from == &opened_ ? 0 : 1, .order = entry.order, .from = &from, .index = index};
  const Time at = std::max(entry.at, clock_);
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
  if (choice.rank > 0 && commands_.refreshing(where, choice.start)) choice.start = kForever;
  return choice;
}

// Of a bank's hits and its other requests only the oldest can be first; these wait for older hits.
HbmChannel::Choice HbmChannel::ready_first(Entries& queue, Choice best) {
  ++walk_;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Entry& entry = queue[i];
    if (entry.earlier > 0) continue;
    Met& met = met_[entry.where.bank];
    const bool hit = commands_.open_row(entry.where) == entry.where.row;
    if (met.hit == walk_ || (!hit && met.other == walk_)) continue;
    (hit ? met.hit : met.other) = walk_;
    const Choice choice = candidate(queue, i);
    if (choice.before(best)) best = choice;
  }
  return best;
}

// The rows that requests keep open are used first.
HbmChannel::Choice HbmChannel::refresh(std::size_t pc) const {
  return {.start = keeping_[pc] == 0 ? commands_.refresh(pc) : kForever,
          .rank = 2,
          .command = Command::refresh,
          .index = pc};
}

// What goes on whichever queue is in service.
HbmChannel::Choice HbmChannel::upkeep() {
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

HbmChannel::Choice HbmChannel::choose() {
  const Choice upkeep = this->upkeep();
  const Choice best = ready_first(in_service(), upkeep);
  const Choice old = aged(best);
  if (old.from == nullptr) return best;
  return old.start < kForever ? old : upkeep;
}

// The oldest request, if it is too old when the best command begins.
HbmChannel::Choice HbmChannel::aged(const Choice& best) {
  Choice oldest;
  for (Entries* entries : {&reads_, &writes_, &opened_}) {
    const auto first = entries == &opened_ ? std::ranges::min_element(opened_, {}, &Entry::order)
                                           : entries->begin();  // in order of arrival
    if (first == entries->end() || (oldest.from != nullptr && first->order > oldest.order)) continue;
    oldest = {
        .order = first->order, .from = entries, .index = static_cast<std::size_t>(first - entries->begin())};
  }
  if (oldest.from == nullptr || best.start == kForever) return {};
  if (best.start < (*oldest.from)[oldest.index].at + spec_.max_age) return {};
  return candidate(*oldest.from, oldest.index);
}

Time HbmChannel::next() {
  if (idle()) return kForever;
  if (!chosen_) next_ = choose();
  chosen_ = true;
  return next_.start;
}

void HbmChannel::advance(Time now, std::vector<Served>& served) {
  while (!idle() && next() <= now) {
    clock_ = std::max(clock_, next_.start);
    chosen_ = false;
    issue(next_, served);
  }
}

void HbmChannel::count(Entry& entry) {
  if (entry.counted) return;
  entry.counted = true;
  const std::int64_t open = commands_.open_row(entry.where);
  ++(open == entry.where.row        ? counts_.hits
     : open == HbmCommands::kClosed ? counts_.misses
                                    : counts_.conflicts);
}

void HbmChannel::issue(const Choice& choice, std::vector<Served>& served) {
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

void HbmChannel::transfer(const Choice& choice, std::vector<Served>& served) {
  const Entry entry = (*choice.from)[choice.index];
  const Lane::Slot slot = commands_.do_column(entry.where, entry.write, choice.start);
  served.push_back({.id = entry.id, .slot = slot});
  if (choice.from == &opened_) {
    --keepers_[entry.where.bank];
    --keeping_[entry.where.pc];
  }
  release(entry, slot.end);
  take(*choice.from, choice.index);
}

void HbmChannel::release(const Entry& served, Time end) {
  for (Entries* later : {&reads_, &writes_, &opened_}) {
    for (Entry& other : *later) {
      if (other.number != served.number || other.order <= served.order) continue;
      --other.earlier;
      if (other.write_back) other.at = std::max(other.at, end);
    }
  }
}

void HbmChannel::take(Entries& from, std::size_t index) {
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
  admit(clock_);
}

HbmCounts HbmChannel::counts() const {
  HbmCounts all = counts_;
  all.refreshes = commands_.refreshes();
  return all;
}

}  // namespace kbsim::hw
