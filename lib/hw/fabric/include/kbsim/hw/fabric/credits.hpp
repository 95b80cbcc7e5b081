#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// Wormhole switching: messages are cut into flits, and up to `flits` of these make a worm. A worm's first
/// flit takes a virtual channel, which the worm keeps until its last flit has left for it.
struct Worms {
  Bytes flit;
  int flits = 1;
  Time lookahead{};  // a flit reaches the switch this long before its head has passed the pipeline
  Time credit{};     // delay of a credit in addition to the wire
};

/// The finite input queues of a node: at each input port a FIFO of `bytes` for each virtual channel.
struct InputQueues {
  int vcs = 8;
  Bytes bytes{4096};
  std::optional<Worms> worms = std::nullopt;  // none: a packet takes a channel that has room for all of it
};

/// Virtual channels of a link that a packet may take: every `stride`-th from `first` on. A packet that must
/// stay in order with others of its source and target has a `flow`, which always takes the same channel.
struct ChannelSet {
  std::uint32_t first = 0;
  std::uint32_t stride = 1;
  std::optional<std::uint32_t> flow;
};

/// The sender's view of the queues at the far end of a link: room in each virtual channel, and credits on
/// their way back. A packet needs room for all its bytes; a worm's flit always needs room for a full flit.
class Credits {
 public:
  explicit Credits(InputQueues queues);

  /// The channel of the set with the most room at `now`, the first of several; nullopt if none has enough.
  [[nodiscard]] std::optional<std::uint32_t> choose(const ChannelSet& set, Bytes size, Time now);

  [[nodiscard]] bool has_room(std::uint32_t vc, Bytes size, Time now) {
    collect(now);
    return room_[vc] >= taken_by(size);
  }
  void take(std::uint32_t vc, Bytes size) { room_[vc] -= taken_by(size); }
  /// Returns room, which the sender learns of at this time.
  void give(Time at, std::uint32_t vc, Bytes size);

  /// Room known at the last call of choose() or has_room().
  [[nodiscard]] Bytes room(std::uint32_t vc) const { return room_[vc]; }

  /// True if all room is free or on its way back.
  [[nodiscard]] bool whole() const;
  /// The room that a packet of this size needs.
  [[nodiscard]] Bytes taken_by(Bytes size) const { return queues_.worms ? queues_.worms->flit : size; }
  [[nodiscard]] Bytes capacity() const { return queues_.bytes; }
  [[nodiscard]] Time lookahead() const { return queues_.worms ? queues_.worms->lookahead : Time{0}; }
  [[nodiscard]] const InputQueues& queues() const { return queues_; }

 private:
  struct Return {
    Time at;
    std::uint32_t vc;
    Bytes size;
  };
  void collect(Time now);

  InputQueues queues_;
  std::vector<Bytes> room_;        // by channel
  std::vector<Return> returning_;  // the latest first
};

}  // namespace kbsim::hw
