// The kinds of kbsim's YAML files, recognized by the keys of their first level.
#pragma once

#include <cstdint>
#include <string>

#include "config_tree.hpp"

namespace kbsim::config {

enum class ConfigFile : std::uint8_t { machine, algorithms, nocs, network };

/// ConfigError in two cases. The file has keys of another kind and none of this kind: the error says what it
/// describes. It has several keys, and none resembles one of this kind: the error says what was expected. In
/// all other files the caller reports unknown keys.
void require_kind(const Tree& root, ConfigFile expected, const std::string& file_name);

}  // namespace kbsim::config
