#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim::hw {

/// The finite input queues of a node: at each input port a FIFO of `bytes` for each virtual channel.
struct InputQueues {
  int vcs = 8;
  Bytes bytes{4096};
};

/// Which of a link's virtual channels a packet may take: every `stride`-th from `first` on. One that must
/// stay in order with others of its source and target takes always the same.
struct ChannelSet {
  std::uint32_t first = 0;
  std::uint32_t stride = 1;
  std::optional<std::uint32_t> flow;
};

/// What the sender of a link knows of the queues at its far end: the room in each virtual channel, and the
/// credits on their way back. A packet needs room for all of it.
class Credits {
 public:
  explicit Credits(InputQueues queues);

  /// The channel of the set with the most room at `now`, the first of several; nullopt if none has enough.
  [[nodiscard]] std::optional<std::uint32_t> choose(const ChannelSet& set, Bytes size, Time now);

  void take(std::uint32_t vc, Bytes size) { room_[vc] -= size; }
  /// Room that the sender hears of at this time.
  void give(Time at, std::uint32_t vc, Bytes size);

  /// Nothing is taken but what is on its way back.
  [[nodiscard]] bool whole() const;
  [[nodiscard]] Bytes capacity() const { return capacity_; }

 private:
  struct Return {
    Time at;
    std::uint32_t vc;
    Bytes size;
  };
  void collect(Time now);

  Bytes capacity_;
  std::vector<Bytes> room_;        // by channel
  std::vector<Return> returning_;  // the latest first
};

}  // namespace kbsim::hw
