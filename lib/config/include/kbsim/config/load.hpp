#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/config/catalog.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::config {

using Overrides = std::vector<std::string>;          // "path.to.key=value", the last one wins
using Folders = std::vector<std::filesystem::path>;  // where a file is looked for after the current folder

struct LoadRequest {
  std::filesystem::path file;
  Overrides overrides;
  const ComponentCatalog& catalog;
  Folders folders;
};

/// Reads a topology file. Throws one ConfigError with every mistake of the file and the overrides.
[[nodiscard]] MachineSpec load_machine(const LoadRequest& request);
[[nodiscard]] MachineSpec parse_machine(std::string_view text, const std::string& file_name,
                                        const Overrides& overrides, const ComponentCatalog& catalog);

/// Reads a file of collective algorithms; errors as above.
[[nodiscard]] CclSpec load_ccl(const std::filesystem::path& file, const Overrides& overrides = {},
                               const Folders& folders = {});
[[nodiscard]] CclSpec parse_ccl(std::string_view text, const std::string& file_name,
                                const Overrides& overrides = {});

}  // namespace kbsim::config
