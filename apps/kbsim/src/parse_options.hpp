#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "commands.hpp"

namespace kbsim::app {

/// Options of a help page that belong together: a title, and the first of them.
struct OptionGroup {
  std::string title;
  std::string first;
};

/// A command's arguments in words.
struct Synopsis {
  std::string usage;
  std::string examples;
  std::string positional = {};  // the option that may be given without its name
  std::string likely = {};      // the option that a bare argument is probably meant for
  std::string too_many = {};    // hint after a bare argument where none is taken: "; ..."
  std::string elsewhere = {};   // where an unknown option without a near name may belong: "; ..."
  std::map<std::string, std::string> foreign = {};  // options of another tool, "-g": what replaces each
  std::vector<std::string> first = {};              // names of commands, which aren't options of this one
  std::vector<OptionGroup> groups = {};             // of a long help page
  bool several = false;    // all bare arguments belong to the positional option, not only the first
  bool takes_run = false;  // as Help::takes_run
};

/// Parses a command's arguments into the described options. Throws the command's Help for --help. UsageError
/// has one line per unknown option, with the nearest known one, and per surplus argument. Otherwise it names
/// the word that can't be parsed, or the option with an empty text. An empty text would look as if the option
/// weren't given.
void parse_options(const Arguments& arguments, boost::program_options::options_description& options,
                   const Synopsis& synopsis, boost::program_options::variables_map* values = nullptr);

/// The option --color, which every command has.
void describe_color(boost::program_options::options_description& to);
/// Applies --color, before anything is printed: UsageError for a mode that isn't known. --json gets no
/// colours.
void choose_colors(const Arguments& arguments);

/// The text that is given to an option, if it is given; skips other options and mistakes.
[[nodiscard]] std::optional<std::string> option_given(const Arguments& arguments, const std::string& name);

}  // namespace kbsim::app
