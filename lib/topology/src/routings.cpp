#include "kbsim/topology/i_routing.hpp"

#include "builtin_routings.hpp"

namespace kbsim::topology {

// The built-in routings are registered here by name: this room is a static library, and a linker drops files
// that only register themselves.
Registry<RoutingModel>& routings() {
  static Registry<RoutingModel> registry{"routing"};
  static const bool filled = [] {
    registry.add("builtin.xy", dimension_order(DimensionOrder::xy));
    registry.add("builtin.yx", dimension_order(DimensionOrder::yx));
    registry.add("builtin.table", shortest_paths());
    return true;
  }();
  (void)filled;
  return registry;
}

bool register_routing(std::string name, RoutingModel model, const char& /*abi*/) noexcept {
  (void)routings().offer(std::move(name), std::move(model));
  return true;
}

}  // namespace kbsim::topology
