#pragma once

#include <string>
#include <vector>

#include "help.hpp"

namespace kbsim::app {

/// An option in words, as completions and the manual page have it.
struct OptionWords {
  std::string name;   // "--topology"
  std::string brief;  // "-b", if there is one
  std::string value;  // "FILE"; "" of a switch
  std::string doc;
};
[[nodiscard]] std::vector<OptionWords> options_of(const Help& help);

/// Of all commands, with the options of kbsim run beside their own where they take its arguments: what a
/// shell offers.
[[nodiscard]] std::vector<Page> completed_pages();
/// Names of those that take them, and so the options of a bench: "run|explain|...".
[[nodiscard]] std::string names_of_runners();

/// What a shell offers for a value.
struct Offer {
  enum class Kind { nothing, files, folders, words };
  Kind kind = Kind::nothing;
  std::vector<std::string> words = {};
};
/// By the name that help gives to the value (FILE, DIR, `a|b`), or by the option where it has names of a
/// list.
[[nodiscard]] Offer offer_of(const OptionWords& option);

}  // namespace kbsim::app
