#include "kbsim/hw/fabric/model_catalog.hpp"

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::hw {

const std::vector<Field>* ModelCatalog::fields(std::string_view impl) const {
  const ComponentModel* model = component_models().find(impl);
  return model == nullptr ? nullptr : model->fields;
}

std::vector<std::string> ModelCatalog::impls() const { return component_models().names(); }

}  // namespace kbsim::hw
