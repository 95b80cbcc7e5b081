#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/hw/fabric/i_arbiter.hpp"

namespace kbsim::hw {

Registry<ArbiterModel>& arbiters() {
  static Registry<ArbiterModel> registry{"arbiter"};
  return registry;
}

bool register_arbiter(std::string name, ArbiterModel model, const char& /*abi*/) noexcept {
  (void)arbiters().offer(std::move(name), std::move(model));
  return true;
}

const ArbiterModel& arbiter_named(std::string_view name, const topology::Node& node) {
  if (const ArbiterModel* model = arbiters().find(name)) return *model;
  throw ConfigError{
      node.model->place_of({"arbiter"}), node.name,
      fmt::format("arbiter: unknown arbiter '{}'{}", name, name_hint(name, arbiters().names()))};
}

}  // namespace kbsim::hw
