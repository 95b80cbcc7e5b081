#include "kbsim/hw/fabric/model_catalog.hpp"

#include <algorithm>
#include <iterator>

#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/topology/i_routing.hpp"

namespace kbsim::hw {

const std::vector<Field>* ModelCatalog::fields(std::string_view impl) const {
  const ComponentModel* model = component_models().find(impl);
  if (model != nullptr) return model->fields;
  const topology::RoutingModel* routing = topology::routings().find(impl);
  return routing == nullptr ? nullptr : routing->fields;
}

bool ModelCatalog::has_kind(std::string_view impl) const {
  const ComponentModel* model = component_models().find(impl);
  return model != nullptr && model->kind != topology::NodeKind::part;
}

bool ModelCatalog::interchangeable(std::string_view impl, std::string_view other) const {
  const ComponentModel* a = component_models().find(impl);
  const ComponentModel* b = component_models().find(other);
  if (impl.empty()) return b != nullptr && b->kind == topology::NodeKind::part;
  if (a != nullptr && b != nullptr) return a->kind == b->kind;
  return topology::routings().find(impl) != nullptr && topology::routings().find(other) != nullptr;
}

std::vector<std::string> ModelCatalog::impls() const {
  std::vector<std::string> names = component_models().names();
  std::ranges::copy(topology::routings().names(), std::back_inserter(names));
  std::ranges::sort(names);
  return names;
}

}  // namespace kbsim::hw
