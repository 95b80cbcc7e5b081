#include "kbsim/hw/memory/hbm_commands.hpp"

#include <algorithm>
#include <cmath>

namespace kbsim::hw {
namespace {

Time clocks(double n, Time tck) { return Time{std::llround(n * static_cast<double>(tck.count()))}; }

}  // namespace

HbmCommands::HbmCommands(const HbmBanksSpec& spec, Time burst)
    : spec_{spec},
      burst_{burst},
      act_{clocks(spec.activate_nck, spec.tck)},
      pre_{clocks(spec.precharge_nck, spec.tck)} {
  const auto pcs = static_cast<std::size_t>(spec.channel_pcs);
  const auto groups = static_cast<std::size_t>(spec.stack_ids * spec.bank_groups);
  const std::size_t banks = groups * static_cast<std::size_t>(spec.banks_per_group);
  pcs_.resize(pcs);
  groups_.resize(pcs * groups);
  banks_.resize(pcs * banks);
  interval_ = all_banks() ? spec.trefi : spec.trefi / static_cast<std::int64_t>(banks);
  if (spec.trefi > Time{0})
    for (Pc& pc : pcs_) pc.refresh_due = interval_;
}

HbmIndex HbmCommands::index(const HbmPlace& place) const {
  const std::int64_t pc = place.channel % spec_.channel_pcs;
  const std::int64_t sid = pc * spec_.stack_ids + place.sid;
  const std::int64_t group = sid * spec_.bank_groups + place.group;
  return {.pc = static_cast<std::uint32_t>(pc),
          .sid = static_cast<std::uint32_t>(sid),
          .group = static_cast<std::uint32_t>(group),
          .bank = static_cast<std::uint32_t>(group * spec_.banks_per_group + place.bank),
          .row = place.row};
}

Time HbmCommands::edge(Time at, Time clock) const {
  if (clock == Time{0}) return at;
  const Time past = at % clock;
  return past == Time{0} ? at : at - past + clock;
}

Time HbmCommands::activate(const HbmIndex& where, Time at) const {
  const Bank& bank = banks_[where.bank];
  const Pc& pc = pcs_[where.pc];
  const Time end = std::max({bank.activated + spec_.trc, bank.may_activate, pc.may_activate,
                             groups_[where.group].activated + spec_.trrd_l, pc.last.activated + spec_.trrd_s,
                             pc.activates[pc.oldest] + spec_.tfaw});
  return edge(std::max({at, row_bus_, end - act_}), spec_.tck);
}

Time HbmCommands::precharge(const HbmIndex& where, Time at) const {
  const Time end = std::max(banks_[where.bank].may_precharge, pcs_[where.pc].precharged + spec_.tppd);
  return edge(std::max({at, row_bus_, end - pre_}), std::min(pre_, spec_.tck));
}

Time HbmCommands::column(const HbmIndex& where, bool write, Time at) const {
  const Bank& bank = banks_[where.bank];
  const Group& group = groups_[where.group];
  const Pc& pc = pcs_[where.pc];
  Time start =
      std::max({at, column_bus_, bank.activated + spec_.rcd(write) - spec_.tck, pc.last.column + spec_.tccd_s,
                group.column + spec_.tccd_l, pc.bus_free - latency(write)});
  if (pc.sid != where.sid) start = std::max(start, pc.last.column + spec_.tccd_r);
  start = std::max(start, write ? pc.read + spec_.trtw
                                : std::max(pc.last.written + spec_.twtr_s, group.written + spec_.twtr_l));
  return edge(start, spec_.tck);
}

// The rows that are open are closed first.
Time HbmCommands::refresh(std::size_t index) const {
  const Pc& pc = pcs_[index];
  if (pc.refresh_due == kForever) return kForever;
  Time at = std::max(pc.refresh_due, pc.may_activate - spec_.trp);
  const std::size_t first = index * banks_of_pc();
  const auto closed = [&](const Bank& bank) {
    at = std::max(at, bank.row == kClosed ? bank.may_activate - spec_.trp : bank.may_precharge - pre_);
  };
  if (all_banks()) {
    for (std::size_t i = first; i < first + banks_of_pc(); ++i) closed(banks_[i]);
  } else {
    closed(banks_[first + pc.next_bank]);
  }
  return edge(std::max(at, row_bus_), spec_.tck);
}

bool HbmCommands::refreshing(const HbmIndex& where, Time by) const {
  const Pc& pc = pcs_[where.pc];
  if (by < pc.refresh_due) return false;
  return all_banks() || where.bank == where.pc * banks_of_pc() + pc.next_bank;
}

void HbmCommands::do_activate(const HbmIndex& where, Time at) {
  const Time end = at + act_;
  Bank& bank = banks_[where.bank];
  Pc& pc = pcs_[where.pc];
  bank.row = where.row;
  bank.activated = end;
  bank.may_precharge = end + spec_.tras;
  groups_[where.group].activated = end;
  pc.last.activated = end;
  pc.activates[pc.oldest] = end;
  pc.oldest = (pc.oldest + 1) % pc.activates.size();
  row_bus_ = end;
}

void HbmCommands::do_precharge(const HbmIndex& where, Time at) {
  const Time end = at + pre_;
  Bank& bank = banks_[where.bank];
  bank.row = kClosed;
  bank.may_activate = end + spec_.trp;
  pcs_[where.pc].precharged = end;
  row_bus_ = end;
}

Lane::Slot HbmCommands::do_column(const HbmIndex& where, bool write, Time at) {
  Group& group = groups_[where.group];
  Pc& pc = pcs_[where.pc];
  const Time start = at + latency(write);
  pc.bus_free = start + burst_;
  pc.sid = where.sid;
  group.column = pc.last.column = at;
  if (write) {
    group.written = pc.last.written = pc.bus_free;
  } else {
    pc.read = at;
  }
  const Time precharge = spec_.tck + (write ? pc.bus_free + spec_.twr : at + spec_.trtp);
  Bank& bank = banks_[where.bank];
  bank.may_precharge = std::max(bank.may_precharge, precharge);
  column_bus_ = at + spec_.tck;
  return {start, pc.bus_free};
}

void HbmCommands::do_refresh(std::size_t index, Time at) {
  Pc& pc = pcs_[index];
  const std::size_t first = index * banks_of_pc();
  const Time refresh = at + spec_.trp;
  const auto close = [&](Bank& bank, Time duration) {
    bank.row = kClosed;
    bank.may_activate = refresh + duration;
  };
  if (all_banks()) {
    for (std::size_t i = first; i < first + banks_of_pc(); ++i) close(banks_[i], spec_.trfc);
  } else {
    close(banks_[first + pc.next_bank], spec_.trfc_bank);
    pc.next_bank = (pc.next_bank + 1) % banks_of_pc();
    pc.may_activate = refresh + spec_.trrefd;
  }
  pc.refresh_due += interval_;
  row_bus_ = at + pre_;
  ++refreshes_;
}

void HbmCommands::catch_up(Time now) {
  if (spec_.trefi == Time{0}) return;
  for (std::size_t i = 0; i < pcs_.size(); ++i) {
    Pc& pc = pcs_[i];
    const auto banks = static_cast<std::int64_t>(banks_of_pc());
    const std::int64_t missed = (now - pc.refresh_due) / interval_ - banks;
    if (missed > 0) {
      pc.refresh_due += missed * interval_;
      pc.next_bank = (pc.next_bank + static_cast<std::size_t>(missed)) % banks_of_pc();
      refreshes_ += missed;
    }
  }
}

}  // namespace kbsim::hw
