#include "kbsim/hw/memory/hbm_timing.hpp"

#include <algorithm>

namespace kbsim::hw {

HbmCounts& HbmCounts::operator+=(const HbmCounts& other) {
  hits += other.hits;
  misses += other.misses;
  conflicts += other.conflicts;
  refreshes += other.refreshes;
  return *this;
}

PseudoChannel::PseudoChannel(const HbmSpec& spec, Time burst)
    : spec_{spec},
      burst_{burst},
      banks_(static_cast<std::size_t>(spec.stack_ids * spec.bank_groups * spec.banks_per_group)),
      groups_(static_cast<std::size_t>(spec.stack_ids * spec.bank_groups)),
      refresh_due_{spec.trefi > Time{0} ? spec.trefi : kForever} {}

Lane::Slot PseudoChannel::serve(const HbmPlace& place, bool write, Time at) {
  Bank& bank = banks_[bank_of(place)];
  Group& group = groups_[group_of(place)];
  Commands commands = plan(place, write, at);
  while (commands.column >= refresh_due_) {
    refresh(std::max(at, last_.column));
    commands = plan(place, write, at);
  }
  if (bank.row == place.row) {
    ++counts_.hits;
  } else {
    open(bank, group, place.row, commands.activate);
  }
  sid_ = place.sid;
  return transfer(bank, group, write, commands.column);
}

// A refresh closes the rows first: what it costs is seen on a copy.
Time PseudoChannel::first_byte(const HbmPlace& place, bool write, Time at) const {
  const Commands commands = plan(place, write, at);
  if (commands.column < refresh_due_) return commands.column + latency(write);
  PseudoChannel refreshed{*this};
  return refreshed.serve(place, write, at).start;
}

PseudoChannel::Commands PseudoChannel::plan(const HbmPlace& place, bool write, Time at) const {
  const Bank& bank = banks_[bank_of(place)];
  const Time column = std::max(at, next_column(place, write));
  if (bank.row == place.row) return {.column = std::max(column, bank.activated + spec_.rcd(write))};
  const Time activate = next_activate(bank, groups_[group_of(place)], at);
  return {.activate = activate, .column = std::max(column, activate + spec_.rcd(write))};
}

Time PseudoChannel::next_activate(const Bank& bank, const Group& group, Time at) const {
  const Time ready = bank.row == kClosed ? at : std::max(at, bank.may_precharge) + spec_.trp;
  return std::max({ready, refreshed_, bank.activated + spec_.trc, group.activated + spec_.trrd_l,
                   last_.activated + spec_.trrd_s, activates_[oldest_] + spec_.tfaw});
}

Time PseudoChannel::next_column(const HbmPlace& place, bool write) const {
  const Group& group = groups_[group_of(place)];
  const Time after_last = place.sid == sid_ ? spec_.tccd_s : std::max(spec_.tccd_s, spec_.tccd_r);
  const Time next =
      std::max({last_.column + after_last, group.column + spec_.tccd_l, bus_free_ - latency(write)});
  if (write) return std::max(next, read_ + spec_.trtw);
  return std::max({next, last_.written + spec_.twtr_s, group.written + spec_.twtr_l});
}

// All refreshes that are due by then, the next one in any case.
void PseudoChannel::refresh(Time by) {
  const Time due = std::max(refresh_due_, by - by % spec_.trefi);
  counts_.refreshes += (due - refresh_due_) / spec_.trefi + 1;
  refreshed_ = due + spec_.trp + spec_.trfc;
  refresh_due_ = due + spec_.trefi;
  for (Bank& bank : banks_) bank.row = kClosed;
}

void PseudoChannel::open(Bank& bank, Group& group, std::int64_t row, Time at) {
  ++(bank.row == kClosed ? counts_.misses : counts_.conflicts);
  bank = {.row = row, .activated = at, .may_precharge = at + spec_.tras};
  group.activated = at;
  last_.activated = at;
  activates_[oldest_] = at;
  oldest_ = (oldest_ + 1) % activates_.size();
}

Lane::Slot PseudoChannel::transfer(Bank& bank, Group& group, bool write, Time column) {
  const Time start = column + latency(write);
  bus_free_ = start + burst_;
  group.column = column;
  last_.column = column;
  if (write) {
    group.written = bus_free_;
    last_.written = bus_free_;
  } else {
    read_ = column;
  }
  const Time precharge = write ? bus_free_ + spec_.twr : column + spec_.trtp;
  bank.may_precharge = std::max(bank.may_precharge, precharge);
  return {start, bus_free_};
}

HbmTiming::HbmTiming(const HbmSpec& spec, Bandwidth raw)
    : spec_{spec},
      mapping_{spec},
      burst_{Bandwidth::gbs(raw.gbs() / static_cast<double>(spec.pseudo_channels)).serialization(spec.burst)},
      channels_(static_cast<std::size_t>(spec.pseudo_channels), PseudoChannel{spec, burst_}) {}

Lane::Slot HbmTiming::serve(std::int64_t address, Bytes n, bool write, Time at) {
  const std::int64_t burst = spec_.burst.count();
  Lane::Slot all{.start = kForever, .end = Time{0}};
  HbmPlace where = place(address);
  for (std::int64_t next = address - address % burst; next < address + n.count(); next += burst) {
    const Lane::Slot slot = channels_[static_cast<std::size_t>(where.channel)].serve(where, write, at);
    all = {.start = std::min(all.start, slot.start), .end = std::max(all.end, slot.end)};
    where = this->next(where, next + burst);
  }
  return all;
}

// Place of the burst at this address, which follows the one that is there.
HbmPlace HbmTiming::next(HbmPlace place, std::int64_t address) const {
  if (mapping_.channel_lowest() && ++place.channel < spec_.pseudo_channels) return place;
  return mapping_.place(address);
}

// The first burst of each pseudo-channel decides: the others follow it there. Where a mapping spreads these
// over all bursts, each is looked at.
Time HbmTiming::first_byte(std::int64_t address, Bytes n, bool write, Time at) const {
  const std::int64_t burst = spec_.burst.count();
  const std::int64_t first = address - address % burst;
  const std::int64_t last = address + n.count();
  const std::int64_t end =
      mapping_.channel_lowest() ? std::min(last, first + spec_.pseudo_channels * burst) : last;
  Time earliest = kForever;
  for (std::int64_t next = first; next < end; next += burst) {
    const HbmPlace where = place(next);
    const PseudoChannel& channel = channels_[static_cast<std::size_t>(where.channel)];
    earliest = std::min(earliest, channel.first_byte(where, write, at));
  }
  return earliest;
}

HbmCounts HbmTiming::counts() const {
  HbmCounts all;
  for (const PseudoChannel& channel : channels_) all += channel.counts();
  return all;
}

}  // namespace kbsim::hw
