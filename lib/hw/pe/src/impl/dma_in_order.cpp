#include "kbsim/hw/pe/i_request_policy.hpp"

namespace kbsim::hw {
namespace {

/// The transfer that began first sends all of its requests before the next.
class InOrderRequests final : public IRequestPolicy {
 public:
  std::size_t pick(std::span<const TransferPtr> /*waiting*/) override { return 0; }
  [[nodiscard]] bool takes_first() const override { return true; }
};

}  // namespace

KBSIM_REQUEST_POLICY("in_order", InOrderRequests, "all requests of a transfer before those of the next");

}  // namespace kbsim::hw
