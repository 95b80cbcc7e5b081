#include "kbsim/hw/memory/hbm_commands.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kbsim/hw/memory/hbm_delays.hpp"

namespace kbsim::hw {
namespace {

Time clocks(double n, Time tck) { return Time{std::llround(n * static_cast<double>(tck.count()))}; }

Delay clock_steps(std::int64_t n) { return why(HbmDelay::clock, n); }
Delay precharge_steps(std::int64_t n) { return why(HbmDelay::pre, n); }

}  // namespace

template <class Times>
HbmCommandsOf<Times>::HbmCommandsOf(const HbmBanksSpec& spec, Time burst, Times times)
    : spec_{spec},
      burst_{burst},
      act_{clocks(spec.activate_nck, spec.tck)},
      pre_{clocks(spec.precharge_nck, spec.tck)},
      times_{std::move(times)} {
  const auto pcs = static_cast<std::size_t>(spec.channel_pcs);
  const auto groups = static_cast<std::size_t>(spec.stack_ids * spec.bank_groups);
  const std::size_t banks = groups * static_cast<std::size_t>(spec.banks_per_group);
  pcs_.resize(pcs);
  groups_.resize(pcs * groups);
  banks_.resize(pcs * banks);
  interval_ = all_banks() ? spec.trefi : spec.trefi / static_cast<std::int64_t>(banks);
  if (spec.trefi > Time{0})
    for (Pc& pc : pcs_) pc.refresh_due = due(1);
}

template <class Times>
HbmIndex HbmCommandsOf<Times>::index(const HbmPlace& place) const {
  const std::int64_t pc = place.channel % spec_.channel_pcs;
  const std::int64_t sid = pc * spec_.stack_ids + place.sid;
  const std::int64_t group = sid * spec_.bank_groups + place.group;
  return {.pc = static_cast<std::uint32_t>(pc),
          .sid = static_cast<std::uint32_t>(sid),
          .group = static_cast<std::uint32_t>(group),
          .bank = static_cast<std::uint32_t>(group * spec_.banks_per_group + place.bank),
          .row = place.row};
}

template <class Times>
auto HbmCommandsOf<Times>::on_clock(const At& at) const -> At {
  return times_.edge(at, spec_.tck, clock_steps);
}

// The end of the first `number` intervals.
template <class Times>
auto HbmCommandsOf<Times>::due(std::int64_t number) const -> At {
  const HbmDelay interval = all_banks() ? HbmDelay::interval : HbmDelay::interval_bank;
  return times_.keep(times_.after(times_.begin(), number * interval_, why(interval, number)));
}

template <class Times>
auto HbmCommandsOf<Times>::activate(const HbmIndex& where, const At& at) const -> At {
  const Bank& bank = banks_[where.bank];
  const Pc& pc = pcs_[where.pc];
  const HbmDelay refresh = all_banks() ? HbmDelay::rfc : HbmDelay::rfc_bank;
  const At end =
      times_.latest({times_.after(bank.activated, spec_.trc, why(HbmDelay::rc)), bank.may_activate,
                     times_.waits(at, bank.refreshed, refresh_wait(refresh)),
                     times_.waits(at, pc.refreshed, refresh_wait(HbmDelay::rrefd)),
                     times_.after(groups_[where.group].activated, spec_.trrd_l, why(HbmDelay::rrd_l)),
                     times_.after(pc.last.activated, spec_.trrd_s, why(HbmDelay::rrd_s)),
                     times_.after(pc.activates[pc.oldest], spec_.tfaw, why(HbmDelay::faw))});
  return on_clock(times_.turn(at, times_.latest({at, row_bus_, times_.back(end, act_, why(HbmDelay::act))})));
}

template <class Times>
auto HbmCommandsOf<Times>::precharge(const HbmIndex& where, const At& at) const -> At {
  const At end = times_.latest({banks_[where.bank].may_precharge,
                                times_.after(pcs_[where.pc].precharged, spec_.tppd, why(HbmDelay::ppd))});
  const At start = times_.turn(at, times_.latest({at, row_bus_, times_.back(end, pre_, why(HbmDelay::pre))}));
  return pre_ < spec_.tck ? times_.edge(start, pre_, precharge_steps) : on_clock(start);
}

template <class Times>
auto HbmCommandsOf<Times>::column(const HbmIndex& where, bool write, const At& at) const -> At {
  const Bank& bank = banks_[where.bank];
  const Group& group = groups_[where.group];
  const Pc& pc = pcs_[where.pc];
  const At opened =
      times_.after(bank.activated, spec_.rcd(write), why(write ? HbmDelay::rcd_write : HbmDelay::rcd_read));
  At start =
      times_.latest({at, times_.back(opened, spec_.tck, why(HbmDelay::clock)), column_bus_,
                     times_.after(pc.last.column, spec_.tccd_s, why(HbmDelay::ccd_s)),
                     times_.after(group.column, spec_.tccd_l, why(HbmDelay::ccd_l)),
                     times_.back(pc.bus_free, latency(write), why(write ? HbmDelay::cwl : HbmDelay::cl))});
  if (pc.sid != where.sid)
    start = times_.latest({start, times_.after(pc.last.column, spec_.tccd_r, why(HbmDelay::ccd_r))});
  if (write) {
    start = times_.latest({start, times_.after(pc.read, spec_.trtw, why(HbmDelay::rtw))});
  } else {
    start = times_.latest({start, times_.after(pc.last.written, spec_.twtr_s, why(HbmDelay::wtr_s)),
                           times_.after(group.written, spec_.twtr_l, why(HbmDelay::wtr_l))});
  }
  return on_clock(times_.turn(at, start));
}

// Open rows are closed first.
template <class Times>
auto HbmCommandsOf<Times>::refresh(std::size_t index) const -> At {
  const Pc& pc = pcs_[index];
  if (Times::time(pc.refresh_due) == kForever) return At{kForever};
  const auto sooner = [this](const At& at) { return times_.back(at, spec_.trp, why(HbmDelay::rp)); };
  At at = times_.latest({pc.refresh_due, sooner(pc.refreshed)});
  const std::size_t first = index * banks_of_pc();
  const auto closed = [&](const Bank& bank) {
    at = bank.row == kClosed ? times_.latest({at, sooner(bank.may_activate), sooner(bank.refreshed)})
                             : times_.latest({at, times_.back(bank.may_precharge, pre_, why(HbmDelay::pre))});
  };
  if (all_banks()) {
    for (std::size_t i = first; i < first + banks_of_pc(); ++i) closed(banks_[i]);
  } else {
    closed(banks_[first + pc.next_bank]);
  }
  return on_clock(times_.latest({at, row_bus_}));
}

template <class Times>
bool HbmCommandsOf<Times>::refreshing(const HbmIndex& where, Time by) const {
  const Pc& pc = pcs_[where.pc];
  if (by < Times::time(pc.refresh_due)) return false;
  return all_banks() || where.bank == where.pc * banks_of_pc() + pc.next_bank;
}

template <class Times>
void HbmCommandsOf<Times>::do_activate(const HbmIndex& where, const At& at) {
  const At end = times_.keep(times_.after(at, act_, why(HbmDelay::act)));
  Bank& bank = banks_[where.bank];
  Pc& pc = pcs_[where.pc];
  bank.row = where.row;
  bank.activated = end;
  bank.may_precharge = times_.keep(times_.after(end, spec_.tras, why(HbmDelay::ras)));
  groups_[where.group].activated = end;
  pc.last.activated = end;
  pc.activates[pc.oldest] = end;
  pc.oldest = (pc.oldest + 1) % pc.activates.size();
  row_bus_ = end;
}

template <class Times>
void HbmCommandsOf<Times>::do_precharge(const HbmIndex& where, const At& at) {
  const At end = times_.keep(times_.after(at, pre_, why(HbmDelay::pre)));
  Bank& bank = banks_[where.bank];
  bank.row = kClosed;
  bank.may_activate = times_.keep(times_.after(end, spec_.trp, why(HbmDelay::rp)));
  pcs_[where.pc].precharged = end;
  row_bus_ = end;
}

template <class Times>
auto HbmCommandsOf<Times>::do_column(const HbmIndex& where, bool write, const At& at) -> Slot {
  Group& group = groups_[where.group];
  Pc& pc = pcs_[where.pc];
  const At start = times_.keep(times_.after(at, latency(write), why(write ? HbmDelay::cwl : HbmDelay::cl)));
  pc.bus_free = times_.keep(times_.after(start, burst_, why(HbmDelay::burst)));
  pc.sid = where.sid;
  group.column = pc.last.column = at;
  if (write) {
    group.written = pc.last.written = pc.bus_free;
  } else {
    pc.read = at;
  }
  const At closes = write ? times_.after(pc.bus_free, spec_.twr, why(HbmDelay::wr))
                          : times_.after(at, spec_.trtp, why(HbmDelay::rtp));
  const At precharge = times_.after(closes, spec_.tck, why(HbmDelay::clock));
  Bank& bank = banks_[where.bank];
  bank.may_precharge = times_.keep(times_.latest({bank.may_precharge, precharge}));
  column_bus_ = times_.keep(times_.after(at, spec_.tck, why(HbmDelay::clock)));
  return {start, pc.bus_free};
}

template <class Times>
void HbmCommandsOf<Times>::do_refresh(std::size_t index, const At& at) {
  Pc& pc = pcs_[index];
  const std::size_t first = index * banks_of_pc();
  const At refresh = times_.keep(times_.after(at, spec_.trp, why(HbmDelay::rp)));
  const auto close = [&](Bank& bank, Time duration, HbmDelay delay) {
    bank.row = kClosed;
    bank.refreshed = times_.keep(times_.after(refresh, duration, why(delay)));
  };
  if (all_banks()) {
    for (std::size_t i = first; i < first + banks_of_pc(); ++i) close(banks_[i], spec_.trfc, HbmDelay::rfc);
  } else {
    close(banks_[first + pc.next_bank], spec_.trfc_bank, HbmDelay::rfc_bank);
    pc.next_bank = (pc.next_bank + 1) % banks_of_pc();
    pc.refreshed = times_.keep(times_.after(refresh, spec_.trrefd, why(HbmDelay::rrefd)));
  }
  pc.refresh_due = due(Times::time(pc.refresh_due) / interval_ + 1);
  row_bus_ = times_.keep(times_.after(at, pre_, why(HbmDelay::pre)));
  ++refreshes_;
}

template <class Times>
void HbmCommandsOf<Times>::catch_up(Time now) {
  if (spec_.trefi == Time{0}) return;
  for (std::size_t i = 0; i < pcs_.size(); ++i) {
    Pc& pc = pcs_[i];
    const auto banks = static_cast<std::int64_t>(banks_of_pc());
    const Time next = Times::time(pc.refresh_due);
    const std::int64_t missed = (now - next) / interval_ - banks;
    if (missed > 0) {
      pc.refresh_due = due(next / interval_ + missed);
      pc.next_bank = (pc.next_bank + static_cast<std::size_t>(missed)) % banks_of_pc();
      refreshes_ += missed;
    }
  }
}

template class HbmCommandsOf<PlainTimes>;
template class HbmCommandsOf<CausedTimes>;

}  // namespace kbsim::hw
