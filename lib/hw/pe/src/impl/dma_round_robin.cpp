#include <algorithm>

#include "kbsim/hw/pe/i_request_policy.hpp"

namespace kbsim::hw {
namespace {

/// Transfers take turns, request by request, in the order in which they began.
class RoundRobinRequests final : public IRequestPolicy {
 public:
  std::size_t pick(std::span<const TransferPtr> waiting) override {
    const auto behind = [&](const TransferPtr& transfer) { return transfer->progress.number > last_; };
    auto next = std::ranges::find_if(waiting, behind);
    if (next == waiting.end()) next = waiting.begin();
    last_ = (*next)->progress.number;
    return static_cast<std::size_t>(next - waiting.begin());
  }

 private:
  std::uint64_t last_ = 0;  // number of the transfer that sent last
};

}  // namespace

KBSIM_REQUEST_POLICY("round_robin", RoundRobinRequests, "transfers take turns, request by request");

}  // namespace kbsim::hw
