#pragma once

#include <string>
#include <string_view>

namespace kbsim::report {

/// Colour of bounds and other limits, in every figure.
inline constexpr std::string_view kBoundColour = "gray50";

/// The colour of an algorithm, the same in all figures and colour-blind-safe: from a table if it is known,
/// else from a hash of its name. The memory of its slots ("_hbm") and a number of ranks ("_4") don't count.
[[nodiscard]] std::string colour_of(std::string_view algorithm);

/// Colours for lines that aren't algorithms: distinct, by index.
[[nodiscard]] std::string colour_at(std::size_t place);

/// A text between double quotes of a gnuplot script; quotes and backquotes in it would end it or run a
/// command.
[[nodiscard]] std::string in_script(std::string_view text);

/// The contents of a gnuplot script: `settings` come before all pictures, `plot` draws each.
struct Drawing {
  std::string name;
  std::string title;
  std::string settings;
  std::string plot;
};

/// The script that draws NAME.png and NAME.svg from NAME.csv, 1600 x 900 with type for slides.
[[nodiscard]] std::string script_of(const Drawing& drawing);

}  // namespace kbsim::report
