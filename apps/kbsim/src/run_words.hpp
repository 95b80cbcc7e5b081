#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"

namespace kbsim::app {

/// An option as it was given: its name without dashes ("" of a word that is none), and its words.
struct GivenOption {
  std::string name;
  Arguments words;

  [[nodiscard]] std::string value() const;
  /// "--out", "-b": as it was given, without its value.
  [[nodiscard]] std::string as_given() const;
};

/// The options among arguments of kbsim run, in their order; those of its bench, too.
[[nodiscard]] std::vector<GivenOption> given_options(const Arguments& run);

/// Options of kbsim run, with their dashes, that many runs refuse: each is an output of one.
[[nodiscard]] std::vector<std::string> outputs_of_one_run();

/// An option of the bench that names a file: its value changes no row.
[[nodiscard]] bool is_output_of_bench(std::string_view name, std::string_view bench);

/// The arguments of the same simulation, that writes nothing.
[[nodiscard]] Arguments without_outputs(const Arguments& run);

/// The arguments of the same simulation again, that writes its op log and traces into `out`.
[[nodiscard]] Arguments with_outputs_in(const Arguments& run, const std::string& out);

}  // namespace kbsim::app
