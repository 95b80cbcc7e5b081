#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/memory/hbm_mapping.hpp"

namespace kbsim::hw {

/// What bursts found in their bank, and the refreshes so far.
struct HbmCounts {
  std::int64_t hits = 0;       // their row, open
  std::int64_t misses = 0;     // no open row
  std::int64_t conflicts = 0;  // another row, to be precharged first
  std::int64_t refreshes = 0;
  HbmCounts& operator+=(const HbmCounts& other);
};

/// Bank groups, banks and the data bus of one pseudo-channel. Rows stay open until another is needed or a
/// refresh is due. Column commands go out in the order of the calls, and so do activates, which run ahead of
/// earlier bursts' data. At each multiple of tREFI all banks are precharged and refreshed: no command for
/// tRP + tRFC; a burst whose column command would be later than that is served wholly after it.
class PseudoChannel {
 public:
  PseudoChannel(const HbmSpec& spec, Time burst);

  /// When the data of a burst asked for at `at` is on the bus.
  Lane::Slot serve(const HbmPlace& place, bool write, Time at);
  /// When it would be there if it was served next.
  [[nodiscard]] Time first_byte(const HbmPlace& place, bool write, Time at) const;

  [[nodiscard]] const HbmCounts& counts() const { return counts_; }

 private:
  static constexpr Time kLongAgo{-(std::int64_t{1} << 60)};
  static constexpr std::int64_t kClosed = -1;
  struct Bank {
    std::int64_t row = kClosed;
    Time activated = kLongAgo;
    Time may_precharge = kLongAgo;
  };
  struct Group {
    Time activated = kLongAgo;
    Time column = kLongAgo;
    Time written = kLongAgo;  // end of the last write data
  };
  struct Commands {
    Time activate{};  // if the row isn't open
    Time column{};
  };

  [[nodiscard]] std::size_t bank_of(const HbmPlace& place) const {
    return group_of(place) * static_cast<std::size_t>(spec_.banks_per_group) +
           static_cast<std::size_t>(place.bank);
  }
  [[nodiscard]] std::size_t group_of(const HbmPlace& place) const {
    return static_cast<std::size_t>(place.sid * spec_.bank_groups + place.group);
  }
  [[nodiscard]] Commands plan(const HbmPlace& place, bool write, Time at) const;
  [[nodiscard]] Time next_activate(const Bank& bank, const Group& group, Time at) const;
  [[nodiscard]] Time next_column(const HbmPlace& place, bool write) const;
  [[nodiscard]] Time latency(bool write) const { return write ? spec_.tcwl : spec_.tcl; }
  void refresh(Time by);
  void open(Bank& bank, Group& group, std::int64_t row, Time at);
  Lane::Slot transfer(Bank& bank, Group& group, bool write, Time column);

  HbmSpec spec_;
  Time burst_;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  std::array<Time, 4> activates_{kLongAgo, kLongAgo, kLongAgo, kLongAgo};  // the last, a ring
  std::size_t oldest_ = 0;                                                 // of them
  Group last_;                                                             // of any group
  std::int64_t sid_ = 0;                                                   // of the last column command
  Time read_ = kLongAgo;
  Time bus_free_ = kLongAgo;
  Time refresh_due_;
  Time refreshed_{};
  HbmCounts counts_;
};

/// One HBM slice: pseudo-channels that serve their bursts independently of one another.
class HbmTiming {
 public:
  HbmTiming(const HbmSpec& spec, Bandwidth raw);

  /// From the first byte on a bus to the last; every burst that is touched is transferred whole.
  Lane::Slot serve(std::int64_t address, Bytes n, bool write, Time at);
  /// When the first byte would be there if these were served next.
  [[nodiscard]] Time first_byte(std::int64_t address, Bytes n, bool write, Time at) const;

  [[nodiscard]] HbmPlace place(std::int64_t address) const { return mapping_.place(address); }
  [[nodiscard]] Time burst() const { return burst_; }
  /// To the first byte, where nothing is open and nobody else is.
  [[nodiscard]] Time latency(bool write) const { return spec_.rcd(write) + (write ? spec_.tcwl : spec_.tcl); }
  [[nodiscard]] HbmCounts counts() const;

 private:
  [[nodiscard]] HbmPlace next(HbmPlace place, std::int64_t address) const;

  HbmSpec spec_;
  HbmMapping mapping_;
  Time burst_;
  std::vector<PseudoChannel> channels_;
};

}  // namespace kbsim::hw
