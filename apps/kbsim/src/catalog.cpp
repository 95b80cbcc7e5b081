#include "catalog.hpp"

#include "kbsim/hw/fabric/component.hpp"

namespace kbsim::app {

const std::vector<Field>* ModelCatalog::fields(std::string_view impl) const {
  const hw::ComponentModel* model = hw::component_models().find(impl);
  return model == nullptr ? nullptr : model->fields;
}

std::vector<std::string> ModelCatalog::impls() const { return hw::component_models().names(); }

}  // namespace kbsim::app
