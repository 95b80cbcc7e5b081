#pragma once

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
};

/// Parses a command's arguments into the described options. With --help it throws the command's Help.
/// UsageError has a line for each option that isn't known, with the nearest one, and each argument too many;
/// or it names what can't be understood, or an option that is given an empty text: it would be taken for one
/// that isn't given.
void parse_options(const Arguments& arguments, boost::program_options::options_description& options,
                   const Synopsis& synopsis, boost::program_options::variables_map* values = nullptr);

}  // namespace kbsim::app
