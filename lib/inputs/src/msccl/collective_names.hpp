#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kbsim/config/collective.hpp"

namespace kbsim::inputs::msccl {

/// The collective of that name in plans, with or without '_'.
[[nodiscard]] std::optional<config::Collective> collective_named(std::string_view name);
/// The name of a plan without a collective.
[[nodiscard]] bool is_custom(std::string_view name);
/// Its name in plans: ours without '_'.
[[nodiscard]] std::string name_of(config::Collective collective);
/// The error text for an unknown name.
[[nodiscard]] std::string unknown_collective(std::string_view name);
/// Whether its input or its output (or both) has a share for each rank.
[[nodiscard]] bool has_shares(config::Collective collective);

}  // namespace kbsim::inputs::msccl
