#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/explain/difference.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::app {

/// One of the two runs that kbsim diff compares.
struct RunSide {
  std::string name;                                 // "A"
  std::string command;                              // that wrote it
  std::string configuration;                        // config.resolved.yaml
  std::map<std::string, std::string> options = {};  // of the bench
  std::vector<sweep::Metric> metrics = {};
  std::vector<explain::PathRecord> paths = {};
  bool explained = false;
  bool keeps_no_paths = false;  // an evaluation: its rows have none
};

/// Reads what a run wrote with --out. If explain.json is missing, the run is repeated in `scratch` to get it,
/// where it can be explained; stderr says so unless `quiet`.
[[nodiscard]] RunSide side_in(const std::string& name, const std::filesystem::path& folder,
                              const std::filesystem::path& scratch, bool quiet);

/// Runs `kbsim run` in `scratch` with these arguments, divided as a shell does. Error with the run's exit
/// code if it fails.
[[nodiscard]] RunSide side_of(const std::string& name, const std::string& arguments,
                              const std::filesystem::path& scratch);

}  // namespace kbsim::app
