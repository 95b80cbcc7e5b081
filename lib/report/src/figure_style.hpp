#pragma once

#include <string>
#include <string_view>

namespace kbsim::report {

/// Of bounds and other limits, in every figure.
inline constexpr std::string_view kBoundColour = "gray50";

/// The colour of an algorithm, the same in all figures: by a table of the known ones, by a hash of any
/// other's name; the memory of its slots ("_hbm") and a number of ranks ("_4") don't count.
/// Colour-blind-safe.
[[nodiscard]] std::string colour_of(std::string_view algorithm);

/// Of what isn't an algorithm: colours that differ, by place.
[[nodiscard]] std::string colour_at(std::size_t place);

/// A text between double quotes of a gnuplot script, in which it would end at a quote and run what stands in
/// backquotes.
[[nodiscard]] std::string in_script(std::string_view text);

/// What a gnuplot script draws: `settings` are commands before the pictures are begun, `plot` those of each.
struct Drawing {
  std::string name;
  std::string title;
  std::string settings;
  std::string plot;
};

/// The script that draws NAME.png and NAME.svg from NAME.csv, 1600 x 900 with type for slides.
[[nodiscard]] std::string script_of(const Drawing& drawing);

}  // namespace kbsim::report
