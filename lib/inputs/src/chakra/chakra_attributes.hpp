#pragma once

#include <span>
#include <string_view>

namespace kbsim::inputs::chakra {

/// An attribute that changes the work in a way that isn't simulated, unless it has one of these values.
struct ChangingAttribute {
  std::string_view name;
  std::string_view what;
  std::span<const std::string_view> neutral;
};
/// None for names that aren't in the table.
[[nodiscard]] const ChangingAttribute* changing_attribute(std::string_view name);

/// Attributes known to be idle: identifiers, names, threads, recorded times, and facts that other attributes
/// state.
[[nodiscard]] bool is_idle_attribute(std::string_view name);

}  // namespace kbsim::inputs::chakra
