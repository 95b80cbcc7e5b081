#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "kbsim/kernels/serial_worker.hpp"
#include "kbsim/kernels/two_ways.hpp"

namespace kbsim::collective {

/// Part of the work for a part of the data that a PE does: of the part `part` PEs after its own.
struct Share {
  int part = 0;
  std::array<bool, 2> ways = {true, true};  // that it serves
  bool keeps = true;                        // and stores what its rank has for itself
};

/// Keys of kernels whose workers may serve one way each.
struct RelaySpec : WorkerSpec {
  bool per_way = false;

  static void describe(auto& f) {
    f.add(
        "per_way", &RelaySpec::per_way,
        "PEs 0, 2, ... of a cube serve the way east, and PEs 1, 3, ... the way west, for the parts of both");
    f.template base<WorkerSpec>();
  }

  /// A PE's work: that of each way for the parts of two PEs, or all of it for its own part. UsageError if PEs
  /// have no partner.
  [[nodiscard]] std::vector<Share> shares(TL& tl, const CollectiveArgs& args) const;
};

/// Which ranks get a part: that of its number gets a part of each rank, or all get each rank's only part.
enum class Spread { each_to_its_own, each_to_all };

/// Parts that travel both ways at once, and that the ranks between relay.
///
/// All ranks go through the messages of a part together. In round r a rank sends message r of its own parts,
/// those with the longest way first, and relays message r - k d of the parts of the rank k places before it.
/// A relayed message was sent d rounds before: long enough ago to be there, so that neither way waits for the
/// other one.
class Relays {
 public:
  /// A message of this place's own parts: sent along each of `ways`, and stored in the output if `out` says
  /// where.
  struct Own {
    Slice data;
    std::vector<std::size_t> ways;
    std::optional<Slice> out;
  };
  /// A message that comes along `way`: it goes on, or is stored in the output, or both.
  struct Arriving {
    std::size_t way;
    Slice out;
    bool goes_on = false;
    bool kept = false;
  };

  /// Parts of n elements. UsageError if serial messages need more slots than a queue has.
  Relays(const CollectiveArgs& args, TwoWays two, Spread spread, std::int64_t n, const Share& share);

  [[nodiscard]] int rounds() const { return static_cast<int>(messages_.size()) + two_.reach() * delay_; }
  /// Rounds from a message's sending to its relaying.
  [[nodiscard]] std::size_t delay() const { return static_cast<std::size_t>(delay_); }
  [[nodiscard]] const Way& way(std::size_t i) const { return two_.ways[i]; }
  [[nodiscard]] const RelaySpec& worker() const { return worker_; }

  /// This place's own messages of a round, on both ways in turn.
  [[nodiscard]] std::vector<Own> own(int round) const;
  /// The messages that come to this place in a round, from both sides in turn.
  [[nodiscard]] std::vector<Arriving> arriving(int round) const;
  /// Whether tiles that wait to be sent on may fill all slots.
  [[nodiscard]] bool may_fill_slots(const CollectiveArgs& args) const;

 private:
  // A message of one place that travels along a way.
  struct Step {
    std::size_t way;
    Slice data;  // of the sender
    Slice out;   // of the receiver
    int hops;    // that are left
  };

  [[nodiscard]] Slice of(int place, const Slice& message) const {
    return {message.first + two_.ranks[static_cast<std::size_t>(place)] * n_, message.size};
  }
  [[nodiscard]] Slices message(int number) const;
  // The messages of that number from the place `steps` before.
  [[nodiscard]] std::vector<Step> from(std::size_t way, int steps, int number) const;

  TwoWays two_;
  Spread spread_;
  std::int64_t n_;
  Window whole_;  // a part
  Slices messages_;
  Share share_;
  RelaySpec worker_;
  int delay_ = 1;
};

/// Sends this PE's parts of n elements both ways, relays others', and stores those for this rank in the
/// output, by the ranks that they come from.
[[nodiscard]] Task<> relay_both_ways(TL& tl, CollectiveArgs args, TwoWays two, Spread spread, std::int64_t n);

}  // namespace kbsim::collective
