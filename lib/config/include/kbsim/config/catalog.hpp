#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/field.hpp"

namespace kbsim::config {

/// The component models that a file may name as `impl`. Filled from a registry of a higher room.
class ComponentCatalog {
 public:
  virtual ~ComponentCatalog() = default;

  /// The attributes of a model; nullptr if there is no such model.
  [[nodiscard]] virtual const std::vector<Field>* fields(std::string_view impl) const = 0;
  [[nodiscard]] virtual std::vector<std::string> impls() const = 0;
  /// Whether a file may state a kind beside it: custom parts, and models that aren't components, have none.
  [[nodiscard]] virtual bool has_kind(std::string_view impl) const = 0;
  /// Whether a machine may have one model in place of the other, as far as is known. "" stands for the
  /// missing model of a custom part.
  [[nodiscard]] virtual bool interchangeable(std::string_view /*impl*/, std::string_view /*other*/) const {
    return false;
  }
};

}  // namespace kbsim::config
