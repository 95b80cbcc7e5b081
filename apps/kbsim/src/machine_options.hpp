#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "kbsim/config/load.hpp"

#include "commands.hpp"

namespace kbsim::app {

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

/// UsageError naming an option that is given an empty text: it would be taken for one that isn't given.
void require_values(const boost::program_options::variables_map& values);

/// Parses a command's arguments into the described options. With --help prints `usage`, the options and
/// `examples`, and gives false. UsageError names what can't be understood.
[[nodiscard]] bool parse_options(const Arguments& arguments,
                                 boost::program_options::options_description& options,
                                 const std::string& usage, const std::string& examples,
                                 boost::program_options::variables_map* values = nullptr);

}  // namespace kbsim::app
