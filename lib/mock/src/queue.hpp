#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/queue_settings.hpp"
#include "kbsim/mock/pe.hpp"
#include "kbsim/tl/dir.hpp"
#include "kbsim/tl/pending_state.hpp"
#include "kbsim/tl/queue_matcher.hpp"

namespace kbsim::mock {

/// A tile on its way, and its send.
struct Sent {
  Value value;
  QueueItem item;
  PendingPtr pending;
  LaunchId launch;
};

struct Asked {
  Pe* by;
  LaunchId launch;
  std::uint64_t order;  // among the recvs of its PE
  QueueItem item;
  PendingPtr pending;
};

class Inbox;

/// The FIFO from one PE to another along one direction. A send is done when it has a slot. A slot is free
/// again when its tile and all earlier ones have been let go, or fetched.
class Queue {
 public:
  struct End {
    PeCoord pe;
    std::string direction;
  };
  /// `in` is the receiver's; if `fetched`, a received tile has left its slot.
  Queue(std::uint64_t number, PeCoord from, End in, const QueueSettings& settings, bool fetched)
      : number_{number},
        from_{from},
        in_{std::move(in)},
        label_{in_.direction},
        settings_{settings},
        fetched_{fetched} {}

  void send(Sent tile);
  /// The tile of this number, counted from 0, is let go.
  void release(std::uint64_t number);

  /// A launch has ended on all its PEs, or all launches have: KernelFault if a tile of it wasn't received.
  void ended(LaunchId launch) const;
  void require_received() const;

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::int64_t filled() const { return static_cast<std::int64_t>(received_ + tiles_.size()); }
  [[nodiscard]] std::int64_t received() const { return static_cast<std::int64_t>(received_); }
  [[nodiscard]] std::int64_t freed() const { return static_cast<std::int64_t>(free_); }
  [[nodiscard]] std::int64_t sends() const { return static_cast<std::int64_t>(sends_.size()); }
  [[nodiscard]] std::int64_t receives() const;

 private:
  friend class Inbox;
  void fill_slots();
  [[nodiscard]] bool is_of_one_launch(const Sent& sent, LaunchId by);
  [[nodiscard]] KernelFault left(const Sent& sent, std::string_view why) const;
  void give(const Asked& asked);
  void deliver(const Sent& sent, const Asked& asked);
  [[nodiscard]] bool has_room() const;

  std::uint64_t number_;
  PeCoord from_;
  End in_;
  Dir label_;  // the receiver's direction, for the tiles
  QueueSettings settings_;
  bool fetched_;
  Inbox* inbox_ = nullptr;
  std::size_t place_ = 0;                  // in the inbox
  std::deque<Sent> sends_;                 // without a slot
  std::deque<Sent> tiles_;                 // in slots, not yet received
  std::optional<LaunchId> last_sent_in_;   // the launch whose tile was received last,
  std::optional<LaunchId> last_taken_in_;  // and the launch that received it
  std::uint64_t received_ = 0;
  std::uint64_t free_ = 0;   // all tiles before this number are let go
  std::deque<bool> let_go_;  // of the received tiles from free_ on
};

/// The queues into one PE, and its recvs.
class Inbox {
 public:
  void add(Queue& queue);
  /// From one of the queues; nullptr: from any.
  void receive(Queue* from, Asked asked);
  /// Gives waiting recvs their tiles, as far as there are any.
  void serve();
  [[nodiscard]] std::uint64_t next_order() { return orders_++; }
  [[nodiscard]] const QueueMatcher<Asked>& receives() const { return receives_; }

 private:
  std::vector<Queue*> queues_;
  QueueMatcher<Asked> receives_;
  QueueTurns turns_;
  std::uint64_t orders_ = 0;
};

/// A PE's ends of its queues, by direction.
struct Ends {
  std::map<std::string, Queue*, std::less<>> out;
  std::map<std::string, Queue*, std::less<>> in;
  Inbox inbox;
};

}  // namespace kbsim::mock
