#include "kbsim/hw/pe/i_request_policy.hpp"

namespace kbsim::hw {

Registry<RequestPolicyEntry>& request_policies() {
  static Registry<RequestPolicyEntry> registry{"request policy"};
  return registry;
}

bool register_request_policy(std::string name, RequestPolicyEntry entry, const char& /*abi*/) noexcept {
  (void)request_policies().offer(std::move(name), std::move(entry));
  return true;
}

}  // namespace kbsim::hw
