#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/memory/hbm_mapping.hpp"
#include "kbsim/hw/memory/memory_times.hpp"

namespace kbsim::hw {

/// Counts of bursts by what they found in their bank, and of refreshes.
struct HbmCounts {
  std::int64_t hits = 0;       // their row was open
  std::int64_t misses = 0;     // no row was open
  std::int64_t conflicts = 0;  // another row was open, and precharged first
  std::int64_t refreshes = 0;
  HbmCounts& operator+=(const HbmCounts& other);
};

/// Bank groups, banks and the data bus of one pseudo-channel. Rows stay open until another is needed or a
/// refresh is due. Column commands go out in the order of the calls. Activates go out in that order, too, but
/// may precede the data of earlier bursts. At each multiple of tREFI all banks are precharged and refreshed:
/// no command for tRP + tRFC; a burst whose column command would be later than that is served wholly after
/// it. `Times` says what a time is: PlainTimes, or one that knows its causes.
template <class Times>
class PseudoChannelOf {
 public:
  using At = typename Times::At;
  struct Slot {
    At start;
    At end;
  };

  PseudoChannelOf(const HbmSpec& spec, Time burst, Times times);

  /// When the data of a burst asked for at `at` is on the bus.
  Slot serve(const HbmPlace& place, bool write, At at);
  /// When the data would be on the bus if the burst was served next.
  [[nodiscard]] Time first_byte(const HbmPlace& place, bool write, At at) const;

  [[nodiscard]] const HbmCounts& counts() const { return counts_; }

 private:
  static constexpr Time kLongAgo{-(std::int64_t{1} << 60)};
  static constexpr std::int64_t kClosed = -1;
  struct Bank {
    std::int64_t row = kClosed;
    At activated{kLongAgo};
    At may_precharge{kLongAgo};
  };
  struct Group {
    At activated{kLongAgo};
    At column{kLongAgo};
    At written{kLongAgo};  // end of the last write data
  };
  struct Commands {
    At activate{};  // if the row isn't open
    At column{};
  };

  [[nodiscard]] std::size_t bank_of(const HbmPlace& place) const {
    return group_of(place) * static_cast<std::size_t>(spec_.banks_per_group) +
           static_cast<std::size_t>(place.bank);
  }
  [[nodiscard]] std::size_t group_of(const HbmPlace& place) const {
    return static_cast<std::size_t>(place.sid * spec_.bank_groups + place.group);
  }
  [[nodiscard]] Commands plan(const HbmPlace& place, bool write, const At& at) const;
  [[nodiscard]] At next_activate(const Bank& bank, const Group& group, const At& at) const;
  [[nodiscard]] At next_column(const HbmPlace& place, bool write) const;
  [[nodiscard]] Time latency(bool write) const { return write ? spec_.tcwl : spec_.tcl; }
  [[nodiscard]] bool is_due(const At& column) const {
    return Times::time(column) >= Times::time(refresh_due_);
  }
  [[nodiscard]] At due(Time at) const;
  void refresh(const At& at);
  void open(Bank& bank, Group& group, std::int64_t row, const At& at);
  Slot transfer(Bank& bank, Group& group, bool write, const At& column);

  HbmSpec spec_;
  Time burst_;
  [[no_unique_address]] Times times_;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  std::array<At, 4> activates_{At{kLongAgo}, At{kLongAgo}, At{kLongAgo}, At{kLongAgo}};  // ring of the last
  std::size_t oldest_ = 0;  // index of the oldest
  Group last_;              // of any group
  std::int64_t sid_ = 0;    // of the last column command
  At read_{kLongAgo};
  At bus_free_{kLongAgo};
  At refresh_due_{kForever};
  At refreshed_{};
  HbmCounts counts_;
};

/// One HBM slice: pseudo-channels that serve their bursts independently of one another.
template <class Times>
class HbmTimingOf {
 public:
  using At = typename Times::At;
  using Slot = typename PseudoChannelOf<Times>::Slot;

  HbmTimingOf(const HbmSpec& spec, Bandwidth raw, Times times = {});

  /// From the first byte on a bus to the last; every burst that is touched is transferred whole.
  Slot serve(std::int64_t address, Bytes n, bool write, const At& at);
  /// When the first byte would be on a bus if these bytes were served next.
  [[nodiscard]] Time first_byte(std::int64_t address, Bytes n, bool write, const At& at) const;

  [[nodiscard]] HbmPlace place(std::int64_t address) const { return mapping_.place(address); }
  [[nodiscard]] Time burst() const { return burst_; }
  /// Latency of an uncontended access to a closed bank, up to the first byte.
  [[nodiscard]] Time latency(bool write) const { return spec_.rcd(write) + (write ? spec_.tcwl : spec_.tcl); }
  [[nodiscard]] HbmCounts counts() const;

 private:
  [[nodiscard]] HbmPlace next(HbmPlace place, std::int64_t address) const;

  HbmSpec spec_;
  HbmMapping mapping_;
  Time burst_;
  [[no_unique_address]] Times times_;
  std::vector<PseudoChannelOf<Times>> channels_;
};

using PseudoChannel = PseudoChannelOf<PlainTimes>;
using HbmTiming = HbmTimingOf<PlainTimes>;

extern template class PseudoChannelOf<PlainTimes>;
extern template class PseudoChannelOf<CausedTimes>;
extern template class HbmTimingOf<PlainTimes>;
extern template class HbmTimingOf<CausedTimes>;

}  // namespace kbsim::hw
