// What YAML files of kbsim describe, by the keys of their first level.
#pragma once

#include <cstdint>
#include <string>

#include "tree.hpp"

namespace kbsim::config {

enum class ConfigFile : std::uint8_t { machine, algorithms, nocs, network };

/// ConfigError that says what the file describes, if it has keys of another kind's files and none of this
/// kind's, or what was expected, if it has several keys of which none resembles one of this kind's. Of any
/// other file the unknown keys are told by whoever reads it.
void require_kind(const Tree& root, ConfigFile expected, const std::string& file_name);

}  // namespace kbsim::config
