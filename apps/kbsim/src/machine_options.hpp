#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "kbsim/config/load.hpp"

#include "commands.hpp"
#include "parse_options.hpp"

namespace kbsim::app {

/// The default machine.
inline constexpr const char* kUsualTopology = "topology.yaml";
/// The arguments with their machine named, so that run.json has it.
[[nodiscard]] Arguments with_topology(Arguments arguments);
/// ", on topology.yaml" of arguments that name no machine, for the line that ends a run.
[[nodiscard]] std::string unnamed_topology(const Arguments& arguments);

/// Whether an option is among the arguments.
[[nodiscard]] bool is_given(const Arguments& arguments, const std::string& option);

/// The options that name the machine, for every command.
struct MachineOptions {
  std::string topology;
  std::string ccl;  // "": that of the topology file, or ccl.yaml
  std::vector<std::string> set;

  void describe(boost::program_options::options_description& to);
  /// Reads and checks both files; all their mistakes are thrown at once. Prints its notes on stderr.
  [[nodiscard]] config::Configuration load() const;
};

/// Prints a configuration's notes on stderr.
void print_notes(const std::vector<std::string>& notes);

}  // namespace kbsim::app
