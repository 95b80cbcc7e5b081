#pragma once

#include "kbsim/config/catalog.hpp"

namespace kbsim::hw {

/// The component models that are registered, for reading topology files.
class ModelCatalog : public config::ComponentCatalog {
 public:
  [[nodiscard]] const std::vector<Field>* fields(std::string_view impl) const override;
  [[nodiscard]] std::vector<std::string> impls() const override;
  [[nodiscard]] bool interchangeable(std::string_view impl, std::string_view other) const override;
  [[nodiscard]] bool has_kind(std::string_view impl) const override;
};

}  // namespace kbsim::hw
