#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kbsim/config/collective.hpp"

namespace kbsim::inputs::msccl {

/// The collective of that name in plans, with or without '_'.
[[nodiscard]] std::optional<config::Collective> collective_named(std::string_view name);
/// The name of a plan that names none.
[[nodiscard]] bool is_custom(std::string_view name);
/// Its name in plans: ours without '_'.
[[nodiscard]] std::string name_of(config::Collective collective);
/// For a name that isn't one.
[[nodiscard]] std::string unknown_collective(std::string_view name);
/// Whether its input or output, or each, has a share for each rank.
[[nodiscard]] bool has_shares(config::Collective collective);

}  // namespace kbsim::inputs::msccl
