#pragma once

#include <string>
#include <vector>

#include "help.hpp"

namespace kbsim::app {

/// An option as text, for completions and the manual page.
struct OptionWords {
  std::string name;   // "--topology"
  std::string brief;  // "-b", if there is one
  std::string value;  // "FILE"; "" of a switch
  std::string doc;
};
[[nodiscard]] std::vector<OptionWords> options_of(const Help& help);

/// Pages of all commands, as a shell completes them. Commands that take arguments of kbsim run also list its
/// options.
[[nodiscard]] std::vector<Page> completed_pages();
/// Names of commands that take arguments of kbsim run, and so the options of a bench: "run|explain|...".
[[nodiscard]] std::string names_of_runners();

/// Values that a shell offers for an option.
struct Offer {
  enum class Kind { nothing, files, folders, words };
  Kind kind = Kind::nothing;
  std::vector<std::string> words = {};
};
/// Chosen by the value's name in help (FILE, DIR, `a|b`), or by the option if its values are names of a list.
[[nodiscard]] Offer offer_of(const OptionWords& option);

}  // namespace kbsim::app
