#pragma once

#include <string>

#include "kbsim/config/load.hpp"

#include "fake_catalog.hpp"

/// The error text for a faulty topology file "t.yaml"; "" if the file is right.
inline std::string machine_errors(std::string_view text, const kbsim::config::Overrides& overrides = {}) {
  try {
    (void)kbsim::config::parse_machine(text, "t.yaml", overrides, kModels);
    return "";
  } catch (const kbsim::ConfigError& error) {
    return error.what();
  }
}

/// The same for a ccl file "c.yaml".
inline std::string ccl_errors(std::string_view text, const kbsim::config::Overrides& overrides = {}) {
  try {
    (void)kbsim::config::parse_ccl(text, "c.yaml", overrides);
    return "";
  } catch (const kbsim::ConfigError& error) {
    return error.what();
  }
}

inline kbsim::config::MachineSpec machine(std::string_view text,
                                          const kbsim::config::Overrides& overrides = {}) {
  return kbsim::config::parse_machine(text, "t.yaml", overrides, kModels);
}
