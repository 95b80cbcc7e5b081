// Tiles that were sent and not received, by the machine's rules.
#include <algorithm>

#include "kbsim/tl/queue_waits.hpp"

#include "queue.hpp"

namespace kbsim::mock {

void Queue::ended(LaunchId launch) const {
  const auto found = std::ranges::find(tiles_, launch, &Sent::launch);
  if (!settings_.carries_over && found != tiles_.end()) throw left(*found, "the launch has ended");
}

void Queue::require_received() const {
  if (!settings_.carries_over && !tiles_.empty()) throw left(tiles_.front(), "all kernels have ended");
}

// False for a tile that an earlier launch of the package left, or if two launches receive one launch's tiles.
bool Queue::is_of_one_launch(const Sent& sent, LaunchId by) {
  const bool earlier = sent.launch.sip == by.sip && sent.launch.number < by.number;
  const bool same = last_sent_in_ == sent.launch;
  const bool one = !same || last_taken_in_ == by || settings_.carries_over;
  last_sent_in_ = sent.launch;
  last_taken_in_ = by;
  return one && (!earlier || settings_.carries_over);
}

KernelFault Queue::left(const Sent& sent, std::string_view why) const {
  return KernelFault{describe(LeftOver{.from = from_,
                                       .at = sent.pending->at(),
                                       .shape = sent.item.shape,
                                       .dtype = sent.item.dtype,
                                       .to = in_.pe,
                                       .direction = in_.direction},
                              why)};
}

}  // namespace kbsim::mock
