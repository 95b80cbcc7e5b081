#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "kbsim/config/load.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// The machine of a run that names none.
inline constexpr const char* kUsualTopology = "topology.yaml";
/// The arguments with their machine named, so that run.json has it.
[[nodiscard]] Arguments with_topology(Arguments arguments);
/// ", on topology.yaml" of arguments that name no machine, for the line that ends a run.
[[nodiscard]] std::string unnamed_topology(const Arguments& arguments);

/// Whether an option is among the arguments.
[[nodiscard]] bool is_given(const Arguments& arguments, const std::string& option);

/// The options by which every command is told its machine.
struct MachineOptions {
  std::string topology;
  std::string ccl;  // "": that of the topology file, or ccl.yaml
  std::vector<std::string> set;

  void describe(boost::program_options::options_description& to);
  /// Reads and checks both files; all their mistakes are thrown at once. Prints its notes on stderr.
  [[nodiscard]] config::Configuration load() const;
};

/// What a configuration has to tell, on stderr.
void print_notes(const std::vector<std::string>& notes);

/// A command's arguments in words.
struct Synopsis {
  std::string usage;
  std::string examples;
  std::string positional = {};  // the option that may be given without its name
};

/// Parses a command's arguments into the described options. With --help prints the synopsis and the options,
/// and gives false. UsageError names what can't be understood, and an option that is given an empty text: it
/// would be taken for one that isn't given.
[[nodiscard]] bool parse_options(const Arguments& arguments,
                                 boost::program_options::options_description& options,
                                 const Synopsis& synopsis,
                                 boost::program_options::variables_map* values = nullptr);

}  // namespace kbsim::app
