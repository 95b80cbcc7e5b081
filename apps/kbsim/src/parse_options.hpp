#pragma once

#include <optional>
#include <string>

#include <boost/program_options.hpp>

#include "commands.hpp"

namespace kbsim::app {

/// A command's arguments in words.
struct Synopsis {
  std::string usage;
  std::string examples;
  std::string positional = {};  // the option that may be given without its name
  std::string likely = {};      // the option that an argument without one is probably meant for
  std::string too_many = {};    // what helps who gives an argument without one, where none is taken: "; ..."
  std::string elsewhere = {};   // where options may belong that aren't known and are near none: "; ..."
  std::vector<std::string> first = {};  // words that are no options of this command, but commands
  bool several = false;    // all arguments without a name are the positional option's, not the first alone
  bool takes_run = false;  // as of Help
};

/// Parses a command's arguments into the described options. With --help it throws the command's Help.
/// UsageError has a line for each option that isn't known, with the nearest one, and each argument too many;
/// or it names what can't be understood, or an option that is given an empty text: it would be taken for one
/// that isn't given.
void parse_options(const Arguments& arguments, boost::program_options::options_description& options,
                   const Synopsis& synopsis, boost::program_options::variables_map* values = nullptr);

/// The text that an option is given, if it is; other options are passed over, and so are mistakes.
[[nodiscard]] std::optional<std::string> option_given(const Arguments& arguments, const std::string& name);

}  // namespace kbsim::app
