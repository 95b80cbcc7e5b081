#include "kbsim/ccl/validator.hpp"

#include <algorithm>
#include <utility>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

namespace kbsim::ccl {

Registry<Validator>& validators() {
  static Registry<Validator> registry{"validator"};
  return registry;
}

bool register_validator(std::string name, Validator validator, const char& /*abi*/) noexcept {
  (void)validators().offer(std::move(name), std::move(validator));
  return true;
}

bool owned_by(const std::vector<topology::ShardSpec>& shards, std::vector<PeCoord> pes) {
  auto owners = shards | ranges::views::transform(&topology::ShardSpec::at) | ranges::to<std::vector>;
  std::ranges::sort(owners);
  std::erase_if(pes, [&](const PeCoord& pe) { return owners.empty() || pe.sip != owners.front().sip; });
  return owners == pes;
}

}  // namespace kbsim::ccl
