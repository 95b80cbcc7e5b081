#include "kbsim/hw/memory/hbm_timing.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/hw/memory/hbm_delays.hpp"

namespace kbsim::hw {
namespace {

Delay why_latency(bool write) { return why(write ? HbmDelay::cwl : HbmDelay::cl); }

}  // namespace

HbmCounts& HbmCounts::operator+=(const HbmCounts& other) {
  hits += other.hits;
  misses += other.misses;
  conflicts += other.conflicts;
  refreshes += other.refreshes;
  return *this;
}

template <class Times>
PseudoChannelOf<Times>::PseudoChannelOf(const HbmSpec& spec, Time burst, Times times)
    : spec_{spec},
      burst_{burst},
      times_{std::move(times)},
      banks_(static_cast<std::size_t>(spec.stack_ids * spec.bank_groups * spec.banks_per_group)),
      groups_(static_cast<std::size_t>(spec.stack_ids * spec.bank_groups)) {
  if (spec.trefi > Time{0}) refresh_due_ = due(spec.trefi);
}

// A multiple of the interval.
template <class Times>
auto PseudoChannelOf<Times>::due(Time at) const -> At {
  return times_.keep(times_.after(times_.begin(), at, why(HbmDelay::interval, at / spec_.trefi)));
}

template <class Times>
auto PseudoChannelOf<Times>::serve(const HbmPlace& place, bool write, At at) -> Slot {
  Bank& bank = banks_[bank_of(place)];
  Group& group = groups_[group_of(place)];
  Commands commands = plan(place, write, at);
  while (is_due(commands.column)) {
    times_.in_order(refresh_due_, commands.column);
    refresh(times_.latest({at, last_.column}));
    commands = plan(place, write, at);
  }
  times_.in_order(commands.column, refresh_due_);
  if (bank.row == place.row) {
    ++counts_.hits;
  } else {
    open(bank, group, place.row, commands.activate);
  }
  sid_ = place.sid;
  return transfer(bank, group, write, commands.column);
}

// A refresh closes the rows first: its cost is computed on a copy.
template <class Times>
Time PseudoChannelOf<Times>::first_byte(const HbmPlace& place, bool write, At at) const {
  const Commands commands = plan(place, write, at);
  if (!is_due(commands.column)) return Times::time(commands.column) + latency(write);
  PseudoChannelOf refreshed{*this};
  return Times::time(refreshed.serve(place, write, at).start);
}

template <class Times>
auto PseudoChannelOf<Times>::plan(const HbmPlace& place, bool write, const At& at) const -> Commands {
  const Bank& bank = banks_[bank_of(place)];
  const Time rcd = spec_.rcd(write);
  const Delay why_rcd = why(write ? HbmDelay::rcd_write : HbmDelay::rcd_read);
  const At next = next_column(place, write);
  const auto column = [&](const At& own, const At& last) { return times_.keep(times_.turn(own, last)); };
  if (bank.row == place.row)
    return {.column = column(at, times_.latest({at, next, times_.after(bank.activated, rcd, why_rcd)}))};
  const At activate = next_activate(bank, groups_[group_of(place)], at);
  const At opened = times_.after(activate, rcd, why_rcd);
  return {.activate = activate, .column = column(opened, times_.latest({opened, next}))};
}

template <class Times>
auto PseudoChannelOf<Times>::next_activate(const Bank& bank, const Group& group, const At& at) const -> At {
  const bool closed = bank.row == kClosed;
  const At precharged = times_.after(times_.latest({at, bank.may_precharge}), spec_.trp, why(HbmDelay::rp));
  const At ready = closed ? at : precharged;
  const At own = times_.after(at, closed ? Time{0} : spec_.trp, why(HbmDelay::rp));
  const At last = times_.latest({ready, times_.waits(at, refreshed_, refresh_wait(HbmDelay::rfc)),
                                 times_.after(bank.activated, spec_.trc, why(HbmDelay::rc)),
                                 times_.after(group.activated, spec_.trrd_l, why(HbmDelay::rrd_l)),
                                 times_.after(last_.activated, spec_.trrd_s, why(HbmDelay::rrd_s)),
                                 times_.after(activates_[oldest_], spec_.tfaw, why(HbmDelay::faw))});
  return times_.keep(times_.turn(own, last));
}

template <class Times>
auto PseudoChannelOf<Times>::next_column(const HbmPlace& place, bool write) const -> At {
  const Group& group = groups_[group_of(place)];
  const bool other_sid = place.sid != sid_ && spec_.tccd_r > spec_.tccd_s;
  const At after_last = times_.after(last_.column, other_sid ? spec_.tccd_r : spec_.tccd_s,
                                     why(other_sid ? HbmDelay::ccd_r : HbmDelay::ccd_s));
  const At next = times_.latest({after_last, times_.after(group.column, spec_.tccd_l, why(HbmDelay::ccd_l)),
                                 times_.back(bus_free_, latency(write), why_latency(write))});
  if (write) return times_.latest({next, times_.after(read_, spec_.trtw, why(HbmDelay::rtw))});
  return times_.latest({next, times_.after(last_.written, spec_.twtr_s, why(HbmDelay::wtr_s)),
                        times_.after(group.written, spec_.twtr_l, why(HbmDelay::wtr_l))});
}

// All refreshes that are due by then, the next one in any case.
template <class Times>
void PseudoChannelOf<Times>::refresh(const At& at) {
  const Time by = Times::time(at);
  const Time next = Times::time(refresh_due_);
  const At begins = due(std::max(next, by - by % spec_.trefi));
  const Time begin = Times::time(begins);
  if (begin > next) times_.in_order(begins, at);
  counts_.refreshes += (begin - next) / spec_.trefi + 1;
  const At closed = times_.after(begins, spec_.trp, why(HbmDelay::rp));
  refreshed_ = times_.keep(times_.after(closed, spec_.trfc, why(HbmDelay::rfc)));
  refresh_due_ = due(begin + spec_.trefi);
  times_.in_order(at, refresh_due_);
  for (Bank& bank : banks_) bank.row = kClosed;
}

template <class Times>
void PseudoChannelOf<Times>::open(Bank& bank, Group& group, std::int64_t row, const At& at) {
  ++(bank.row == kClosed ? counts_.misses : counts_.conflicts);
  bank.row = row;
  bank.activated = at;
  bank.may_precharge = times_.keep(times_.after(at, spec_.tras, why(HbmDelay::ras)));
  group.activated = at;
  last_.activated = at;
  activates_[oldest_] = at;
  oldest_ = (oldest_ + 1) % activates_.size();
}

template <class Times>
auto PseudoChannelOf<Times>::transfer(Bank& bank, Group& group, bool write, const At& column) -> Slot {
  const At start = times_.keep(times_.after(column, latency(write), why_latency(write)));
  bus_free_ = times_.keep(times_.after(start, burst_, why(HbmDelay::burst)));
  group.column = column;
  last_.column = column;
  if (write) {
    group.written = bus_free_;
    last_.written = bus_free_;
  } else {
    read_ = column;
  }
  const At precharge = write ? times_.after(bus_free_, spec_.twr, why(HbmDelay::wr))
                             : times_.after(column, spec_.trtp, why(HbmDelay::rtp));
  bank.may_precharge = times_.keep(times_.latest({bank.may_precharge, precharge}));
  return {start, bus_free_};
}

template <class Times>
HbmTimingOf<Times>::HbmTimingOf(const HbmSpec& spec, Bandwidth raw, Times times)
    : spec_{spec},
      mapping_{spec},
      burst_{Bandwidth::gbs(raw.gbs() / static_cast<double>(spec.pseudo_channels)).serialization(spec.burst)},
      times_{times},
      channels_(static_cast<std::size_t>(spec.pseudo_channels),
                PseudoChannelOf<Times>{spec, burst_, std::move(times)}) {}

template <class Times>
auto HbmTimingOf<Times>::serve(std::int64_t address, Bytes n, bool write, const At& at) -> Slot {
  const std::int64_t burst = spec_.burst.count();
  Slot all{.start = At{kForever}, .end = At{Time{0}}};
  HbmPlace where = place(address);
  for (std::int64_t next = address - address % burst; next < address + n.count(); next += burst) {
    const Slot slot = channels_[static_cast<std::size_t>(where.channel)].serve(where, write, at);
    all = {.start = times_.earliest(all.start, slot.start), .end = times_.latest({all.end, slot.end})};
    where = this->next(where, next + burst);
  }
  return all;
}

// Place of the burst at `address`, which follows the burst at `place`.
template <class Times>
HbmPlace HbmTimingOf<Times>::next(HbmPlace place, std::int64_t address) const {
  if (mapping_.channel_lowest() && ++place.channel < spec_.pseudo_channels) return place;
  return mapping_.place(address);
}

// Only the first burst of each pseudo-channel decides: the others follow it. If a mapping spreads the first
// bursts, each burst is looked at.
template <class Times>
Time HbmTimingOf<Times>::first_byte(std::int64_t address, Bytes n, bool write, const At& at) const {
  const std::int64_t burst = spec_.burst.count();
  const std::int64_t first = address - address % burst;
  const std::int64_t last = address + n.count();
  const std::int64_t end =
      mapping_.channel_lowest() ? std::min(last, first + spec_.pseudo_channels * burst) : last;
  Time earliest = kForever;
  for (std::int64_t next = first; next < end; next += burst) {
    const HbmPlace where = place(next);
    const PseudoChannelOf<Times>& channel = channels_[static_cast<std::size_t>(where.channel)];
    earliest = std::min(earliest, channel.first_byte(where, write, at));
  }
  return earliest;
}

template <class Times>
HbmCounts HbmTimingOf<Times>::counts() const {
  HbmCounts all;
  for (const PseudoChannelOf<Times>& channel : channels_) all += channel.counts();
  return all;
}

template class PseudoChannelOf<PlainTimes>;
template class PseudoChannelOf<CausedTimes>;
template class HbmTimingOf<PlainTimes>;
template class HbmTimingOf<CausedTimes>;

}  // namespace kbsim::hw
