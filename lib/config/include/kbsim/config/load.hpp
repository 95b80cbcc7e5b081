#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/config/catalog.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/config/overrides.hpp"

namespace kbsim::config {

using Folders = std::vector<std::filesystem::path>;  // where a file is looked for after the current folder

struct LoadRequest {
  std::filesystem::path file;
  Overrides overrides;
  const ComponentCatalog& catalog;
  Folders folders;
};

/// The keys that a readable override sets: its own, or those in the map that it gives.
[[nodiscard]] std::vector<std::string> overridden_keys(const std::string& override);

/// A machine and the collective algorithms for it.
struct Configuration {
  MachineSpec machine;
  CclSpec ccl;
  std::vector<std::string> notes;  // entries of the file that an override has made void, one line each
  std::string text;                // of the topology file, which may be a pipe: it can be read once
};

/// Reads a topology file and the algorithms: those of its section `ccl` if it has one, else those of
/// `ccl_file` ("": ccl.yaml). Overrides that begin with "ccl." belong to the algorithms. Throws one
/// ConfigError with every mistake of both; also for a file of algorithms beside a section.
[[nodiscard]] Configuration load(const LoadRequest& request, const std::filesystem::path& ccl_file);

/// Reads a topology file; a section `ccl` in it is checked, too. Throws one ConfigError with every mistake of
/// the file and the overrides. `notes` gets the same lines as Configuration::notes.
[[nodiscard]] MachineSpec load_machine(const LoadRequest& request, std::vector<std::string>* notes = nullptr);
[[nodiscard]] MachineSpec parse_machine(std::string_view text, const std::string& file_name,
                                        const Overrides& overrides, const ComponentCatalog& catalog,
                                        std::vector<std::string>* notes = nullptr);

/// Reads a file of collective algorithms; errors as above.
[[nodiscard]] CclSpec load_ccl(const std::filesystem::path& file, const Overrides& overrides = {},
                               const Folders& folders = {});
[[nodiscard]] CclSpec parse_ccl(std::string_view text, const std::string& file_name,
                                const Overrides& overrides = {});

}  // namespace kbsim::config
