#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/memory/hbm_mapping.hpp"
#include "kbsim/hw/memory/memory_times.hpp"

namespace kbsim::hw {

/// Bank of a burst, and what it shares with others, as indices in a channel.
struct HbmIndex {
  std::uint32_t pc = 0;
  std::uint32_t sid = 0;
  std::uint32_t group = 0;
  std::uint32_t bank = 0;
  std::int64_t row = 0;
};

/// The earliest start of each command on a channel of pseudo-channels that share a command bus, and its
/// effect on their banks. Times between commands count from their last clock edges. A column command takes
/// one clock, an activate and a precharge as the Spec says. Each begins on a clock edge; a precharge shorter
/// than a clock begins on multiples of its own length, too. Without tCK commands take no time and begin at
/// any time.
template <class Times>
class HbmCommandsOf {
 public:
  using At = typename Times::At;
  struct Slot {
    At start;
    At end;
  };

  HbmCommandsOf(const HbmBanksSpec& spec, Time burst, Times times);

  [[nodiscard]] HbmIndex index(const HbmPlace& place) const;
  [[nodiscard]] std::size_t pseudo_channels() const { return pcs_.size(); }
  [[nodiscard]] std::size_t banks() const { return banks_.size(); }

  static constexpr std::int64_t kClosed = -1;
  [[nodiscard]] std::int64_t open_row(const HbmIndex& at) const { return banks_[at.bank].row; }

  // The first time, from `at` on, at which the command may begin.
  [[nodiscard]] At activate(const HbmIndex& where, const At& at) const;
  [[nodiscard]] At precharge(const HbmIndex& where, const At& at) const;
  [[nodiscard]] At column(const HbmIndex& where, bool write, const At& at) const;
  /// The start of the next refresh: of all banks of a pseudo-channel, or of the bank whose turn it is.
  [[nodiscard]] At refresh(std::size_t pc) const;
  /// Whether a refresh that is due by then is waiting for this bank.
  [[nodiscard]] bool refreshing(const HbmIndex& where, Time by) const;

  // The command begins at `at`.
  void do_activate(const HbmIndex& where, const At& at);
  void do_precharge(const HbmIndex& where, const At& at);
  Slot do_column(const HbmIndex& where, bool write, const At& at);
  void do_refresh(std::size_t pc, const At& at);
  /// Counts the refreshes of an idle period that ended before `now`.
  void catch_up(Time now);

  [[nodiscard]] Time latency(bool write) const { return write ? spec_.tcwl : spec_.tcl; }
  [[nodiscard]] std::int64_t refreshes() const { return refreshes_; }

 private:
  static constexpr Time kLongAgo{-(std::int64_t{1} << 60)};
  struct Bank {
    std::int64_t row = kClosed;
    At activated{kLongAgo};
    At may_activate{kLongAgo};
    At refreshed{kLongAgo};
    At may_precharge{kLongAgo};
  };
  struct Group {
    At activated{kLongAgo};
    At column{kLongAgo};
    At written{kLongAgo};  // end of the last write data
  };
  struct Pc {
    Group last;  // of any group
    std::array<At, 4> activates{At{kLongAgo}, At{kLongAgo}, At{kLongAgo}, At{kLongAgo}};
    std::size_t oldest = 0;
    std::uint32_t sid = 0;  // of the last column command
    At read{kLongAgo};
    At bus_free{kLongAgo};
    At precharged{kLongAgo};
    At refreshed{kLongAgo};  // when other banks may be activated after a refresh
    At refresh_due{kForever};
    std::size_t next_bank = 0;  // for refreshes bank by bank
  };

  [[nodiscard]] At on_clock(const At& at) const;
  [[nodiscard]] At due(std::int64_t number) const;
  [[nodiscard]] std::size_t banks_of_pc() const { return banks_.size() / pcs_.size(); }
  [[nodiscard]] bool all_banks() const { return spec_.refresh == HbmRefresh::all_bank; }

  HbmBanksSpec spec_;
  Time burst_;
  Time act_;  // durations on the bus
  Time pre_;
  Time interval_;  // of refreshes
  [[no_unique_address]] Times times_;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  std::vector<Pc> pcs_;
  At column_bus_{kLongAgo};  // free from then on
  At row_bus_{kLongAgo};
  std::int64_t refreshes_ = 0;
};

using HbmCommands = HbmCommandsOf<PlainTimes>;

extern template class HbmCommandsOf<PlainTimes>;
extern template class HbmCommandsOf<CausedTimes>;

}  // namespace kbsim::hw
