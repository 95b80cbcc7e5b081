#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kbsim/hw/pe/transfer.hpp"
#include "kbsim/sim/pool_allocator.hpp"

#include "read_path.hpp"

namespace kbsim::hw {

/// The computed times of a DMA's reads: when each is sent and answered. Valid while the DMA sends only such
/// reads, and no other packet arrives at their lanes. When that ends, unsent reads are revoked, and reads
/// under way continue hop by hop.
class ReadSchedule {
 public:
  /// A DMA's limits.
  struct Terms {
    Bytes request;  // the largest
    Bytes window;   // bytes in flight at most
    Bytes chunk;    // of a turn
    Time pace{};    // port time of a request
  };
  /// The DMA's port when the schedule begins, and when it ends.
  struct Port {
    Time free{};
    Bytes turn_left;
    bool used = false;  // something was sent
  };
  /// A read; a transfer's reads are in the order of its requests.
  struct Read {
    std::int64_t address = 0;
    std::int64_t offset = 0;  // in the tile
    Bytes bytes;
    Bytes window;
    Bytes turn_left;  // after this read
    Time sent{};
    Time answered{};
  };
  /// A transfer whose reads [first, end) are reserved.
  struct ReservedTransfer {
    TransferPtr transfer;
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::size_t piece = 0;  // reserved next
    bool whole = false;     // all are reserved
  };
  enum class Next { reserved, stuck, nothing };

  [[nodiscard]] bool active() const { return active_; }
  /// False if another packet is on the lanes or on its way to them.
  [[nodiscard]] bool begin(const Terms& terms, const Port& port, ILinkClaim& holder);
  /// True if the transfer's next read can be reserved; finds its lanes.
  [[nodiscard]] bool fits(Fabric& fabric, const DmaSite& site, const Transfer& first, Bytes largest);
  [[nodiscard]] NodeId memory() const { return path_.memory(); }
  [[nodiscard]] std::span<LiveLink* const> links() const { return path_.links(); }

  /// Adds reads that were sent before the schedule began: first reads whose data is in TCM, then the others,
  /// each in the order of their answers.
  void add_answered(Time answered, Bytes window);
  void add_sent(const TransferPtr& transfer, const Read& read, const ReadPath::ReadState& where,
                oplog::Slices contents);
  [[nodiscard]] bool was_sent_before(std::uint64_t index) const { return index < own_; }
  /// Reserves more reads of the waiting transfers; stuck: the next one can't be reserved. Calls `wake_at`
  /// with the time of the next call: the end of a transfer, or when more are to be reserved.
  template <class WakeAt>
  Next go_on(Time now, std::span<const TransferPtr> waiting, WakeAt wake_at);

  /// The transfers with reserved reads, in their order.
  [[nodiscard]] PoolDeque<ReservedTransfer>& reserved() { return reserved_; }
  [[nodiscard]] bool ends_by(const ReservedTransfer& transfer, Time now) const {
    return transfer.whole && read(transfer.end - 1).answered <= now;
  }
  [[nodiscard]] const Read& read(std::uint64_t index) const { return ring_[index & mask_]; }
  [[nodiscard]] oplog::Slices contents(std::uint64_t index) const {
    if (index < own_ && before_[index - answers_].where.stage >= ReadPath::Stage::leaving)
      return before_[index - answers_].contents;
    return path_.holds(read(index).address, read(index).bytes);
  }

  /// Ends the schedule after the last answer.
  Port end();
  /// Ends the schedule at the cut; calls `each` with the number and state of each sent read, in their order.
  template <class Each>
  Port stop(const Cut& cut, Each each);
  void resume(std::uint64_t index, Token token, const ReadPath::ReadState& where) {
    const Read& that = read(index);
    path_.resume({.address = that.address, .bytes = that.bytes, .reply_to = tcm_, .token = token}, where,
                 contents(index));
  }

 private:
  // The state of the lanes after `reads` reads.
  struct Checkpoint {
    ReadPath::LaneState state;
    std::uint64_t reads = 0;
  };
  // A read that was sent before the schedule began.
  struct SentBefore {
    ReadPath::ReadState where;
    oplog::Slices contents;  // of data
  };
  [[nodiscard]] bool can_reserve(const Transfer& transfer, std::size_t piece) const;
  [[nodiscard]] bool is_near(const Piece& piece) const;
  void reserve(const Piece& piece, Time now);
  [[nodiscard]] Time send_time(Bytes window, Time now);
  void answer_next();
  void push(const Read& read);
  void keep_state(Time now);
  void forget();
  void grow();
  [[nodiscard]] Read& at(std::uint64_t index) { return ring_[index & mask_]; }

  ReadPath path_;
  bool active_ = false;
  NodeId tcm_;
  Terms terms_;
  Bytes packet_;
  topology::PhysAddr first_;  // of the slice
  Bytes slice_;
  Port port_;
  Port start_;
  Bytes outstanding_;
  std::vector<Read> ring_;  // from the first schedule on
  std::uint64_t mask_ = 63;
  std::uint64_t answers_ = 0;       // reads that were in TCM before
  std::uint64_t own_ = 0;           // the first that wasn't sent before
  std::vector<SentBefore> before_;  // from answers_ to own_
  std::uint64_t kept_ = 0;          // the first that is in the ring
  std::uint64_t sent_ = 0;          // sent by now
  std::uint64_t unanswered_ = 0;    // the first unanswered when the last is sent
  std::uint64_t next_ = 0;
  PoolDeque<ReservedTransfer> reserved_;
  ReadPath::LaneState ahead_;
  Checkpoint old_;
  Checkpoint young_;
  Time next_wake_{};  // when to reserve more
};

template <class WakeAt>
ReadSchedule::Next ReadSchedule::go_on(Time now, std::span<const TransferPtr> waiting, WakeAt wake_at) {
  constexpr std::uint64_t kAhead = 256;
  keep_state(now);
  while (sent_ < next_ && read(sent_).sent < now) ++sent_;
  for (std::size_t i = reserved_.empty() || !reserved_.back().whole
                           ? std::max<std::size_t>(reserved_.size(), 1) - 1
                           : reserved_.size();
       i < waiting.size(); ++i) {
    const Transfer& transfer = *waiting[i];
    if (i == reserved_.size())
      reserved_.push_back(
          {.transfer = waiting[i], .first = next_, .end = next_, .piece = transfer.next_index()});
    ReservedTransfer& reserved = reserved_.back();
    for (; reserved.piece < transfer.pieces().size(); ++reserved.piece) {
      const bool stuck = !can_reserve(transfer, reserved.piece);
      if (stuck && port_.free <= now) return Next::stuck;
      if (stuck || next_ - sent_ >= kAhead) {
        const Time again = stuck ? port_.free : read(next_ - kAhead / 2).sent;
        if (again != next_wake_) wake_at(again);
        next_wake_ = again;
        return Next::reserved;
      }
      reserve(transfer.pieces()[reserved.piece], now);
      reserved.end = next_;
    }
    reserved.whole = true;
    wake_at(read(next_ - 1).answered);
  }
  return reserved_.empty() ? Next::nothing : Next::reserved;
}

template <class Each>
ReadSchedule::Port ReadSchedule::stop(const Cut& cut, Each each) {
  active_ = false;
  Port port = start_;
  PoolVector<ReadPath::ReadState> states;
  for (std::uint64_t i = old_.reads; i < next_; ++i) {
    ReadPath::ReadState where{.head = read(i).sent, .tail = read(i).sent};
    if (i < own_) where = before_[i - answers_].where;
    path_.pass(old_.state, read(i).bytes, where, cut);
    if (where.stage == ReadPath::Stage::dma) break;
    states.push_back(where);
  }
  path_.apply(old_.state);
  path_.release();
  const std::uint64_t sent = old_.reads + states.size();
  if (sent > std::max(kept_, own_)) {
    port = {.free = read(sent - 1).sent + terms_.pace, .turn_left = read(sent - 1).turn_left, .used = true};
  }
  for (std::uint64_t i = kept_; i < sent; ++i) {
    constexpr ReadPath::ReadState kAnswered{.stage = ReadPath::Stage::answered};
    if (i >= answers_) each(i, i < old_.reads ? kAnswered : states[i - old_.reads]);
  }
  return port;
}

}  // namespace kbsim::hw
