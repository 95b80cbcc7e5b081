#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"

namespace kbsim::app {

/// An option as it was given: its name without dashes ("" of a word that is no option), and its words.
struct GivenOption {
  std::string name;
  Arguments words;

  [[nodiscard]] std::string value() const;
  /// "--out", "-b": as it was given, without its value.
  [[nodiscard]] std::string as_given() const;
};

/// The options among arguments of kbsim run, in their order; those of its bench, too.
[[nodiscard]] std::vector<GivenOption> given_options(const Arguments& run);

/// Options of kbsim run, with dashes, that write an output of one run. Commands of many runs refuse them.
[[nodiscard]] std::vector<std::string> outputs_of_one_run();

/// True for an option of the bench that names an output file; its value changes no row.
[[nodiscard]] bool is_output_of_bench(std::string_view name, std::string_view bench);

/// Arguments of the same simulation without any output.
[[nodiscard]] Arguments without_outputs(const Arguments& run);

/// Arguments that repeat the same simulation and write its op log and traces into `out`.
[[nodiscard]] Arguments with_outputs_in(const Arguments& run, const std::string& out);

}  // namespace kbsim::app
