#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "kbsim/hw/memory/hbm_commands.hpp"
#include "kbsim/hw/memory/hbm_timing.hpp"

namespace kbsim::hw {

/// One burst of a request.
template <class Times>
struct HbmBurstOf {
  std::uint64_t id = 0;     // of the request
  std::int64_t number = 0;  // of the burst in the memory; equal numbers overlap
  HbmPlace place;
  bool write = false;
  bool write_back = false;  // of an atomic: begins after its read has left
  typename Times::At at{};  // earliest start
};
using HbmBurst = HbmBurstOf<PlainTimes>;

/// The controller of a channel: a line in order of arrival feeds a read and a write queue of stated depth.
/// First ready, first come: the earliest of the next commands of one queue's requests goes first, then the
/// oldest. No row is closed before its older requests. A batch of writes begins at `write_high` in the queue,
/// or if no read waits; it ends at `write_low` if a read waits, else when no write is left. With
/// `write_drain: per_bank` reads stay in service beside a batch, which is then the writes that the queue
/// holds as it begins, but for the last `write_low` if a read waits; the next begins at `write_high` others.
/// A request whose row was opened for it leaves its queue and keeps the row open. A burst that has been in
/// its queue for `max_age` goes before all others.
template <class Times>
class HbmChannelOf {
 public:
  using At = typename Times::At;
  using Burst = HbmBurstOf<Times>;
  using Commands = HbmCommandsOf<Times>;
  struct Served {
    std::uint64_t id = 0;
    typename Commands::Slot slot;
  };

  HbmChannelOf(const HbmBanksSpec& spec, Time burst, Times times = {});

  void push(const Burst& burst);
  /// Issues all commands that can begin until `now`.
  void advance(Time now, std::vector<Served>& served);
  /// When the next command can begin, if nothing else arrives; kForever if nothing waits.
  [[nodiscard]] Time next();
  /// The start of the next command; only if next() isn't kForever.
  [[nodiscard]] const At& next_command() const { return next_.start; }
  [[nodiscard]] HbmCounts counts() const;

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::uint64_t order = 0;  // of arrival
    std::int64_t number = 0;
    HbmIndex where;
    At at{};
    std::uint32_t earlier = 0;  // unserved requests of the same bytes
    bool write = false;
    bool write_back = false;
    bool counted = false;   // as hit, miss or conflict
    bool draining = false;  // a write of a batch that banks serve beside reads,
    At drains{};            // from then on
  };
  using Entries = std::vector<Entry>;
  enum class Command : std::uint8_t { column, activate, precharge, refresh };
  struct Choice {
    At start{kForever};
    int rank = 0;  // among equal starts: requests that keep a row, the queue, refreshes
    std::uint64_t order = 0;
    Command command = Command::refresh;
    Entries* from = nullptr;
    std::size_t index = 0;  // in `from`, or of the pseudo-channel
    [[nodiscard]] bool before(const Choice& other) const;
  };
  // Per bank: the last walk through a queue that met a hit there, and the last that met another row's
  // request.
  struct Met {
    std::array<std::uint64_t, 2> hit{};  // of a read, of a write
    std::uint64_t other = 0;
  };

  [[nodiscard]] Choice choose();
  [[nodiscard]] Choice upkeep();
  [[nodiscard]] Choice ready_first(Choice best);
  [[nodiscard]] Choice ready_first_of_both(Choice best);
  void consider(Entries& queue, std::size_t index, Choice& best);
  [[nodiscard]] bool first_of_bank(const Entry& entry);
  [[nodiscard]] Choice aged(const Choice& best);
  [[nodiscard]] Choice candidate(Entries& from, std::size_t index);
  [[nodiscard]] Choice again(const Choice& choice);
  void note_rivals(const Choice& chosen);
  [[nodiscard]] Choice refresh(std::size_t pc) const;
  void choose_writes();
  void drain_beside_reads(bool read);
  [[nodiscard]] bool beside_reads() const { return spec_.write_drain == HbmWriteDrain::per_bank; }
  [[nodiscard]] bool in_service(const Entry& entry) const;
  void issue(const Choice& choice, std::vector<Served>& served);
  void transfer(const Choice& choice, std::vector<Served>& served);
  void release(const Entry& served, const At& end);
  void take(Entries& from, std::size_t index);
  void admit(const At& now);
  void count(Entry& entry);
  [[nodiscard]] bool idle() const { return reads_.empty() && writes_.empty() && opened_.empty(); }

  HbmBanksSpec spec_;
  [[no_unique_address]] Times times_;
  Commands commands_;
  std::deque<Burst> line_;  // the first has no room in its queue
  Entries reads_;           // in order of arrival
  Entries writes_;
  Entries opened_;                    // in the order of their activates
  std::vector<std::size_t> keepers_;  // how many of opened_ are in each bank,
  std::vector<std::size_t> keeping_;  // and in each pseudo-channel
  std::vector<Met> met_;
  std::uint64_t walk_ = 0;
  std::uint64_t arrived_ = 0;
  bool writing_ = false;
  bool chosen_ = false;
  Choice next_{};  // if chosen_
  At clock_{};
  At came_{};  // when the last burst arrived
  HbmCounts counts_;
};

using HbmChannel = HbmChannelOf<PlainTimes>;

extern template class HbmChannelOf<PlainTimes>;
extern template class HbmChannelOf<CausedTimes>;

}  // namespace kbsim::hw
