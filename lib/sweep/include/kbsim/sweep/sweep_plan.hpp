#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/axis.hpp"
#include "kbsim/sweep/condition.hpp"

namespace kbsim::sweep {

/// A text that the user wrote, and where.
struct Placed {
  std::string text;
  Place at;
};

/// A plan file and a command line together, not yet checked.
struct Draft {
  std::string bench;
  std::string file;                // of the plan, if there is one
  std::vector<std::string> words;  // of all points: machine, plug-ins, arguments of the bench, settings
  std::vector<Axis> axes;
  std::vector<Placed> zips;  // names of axes, divided by commas
  std::vector<Placed> where;
  std::optional<Placed> random;
  std::vector<ConfigProblem> problems;

  /// Adds a setting or an option (its name begins with dashes) of all points, or an axis if the text names
  /// several values.
  void add(const std::string& name, const Placed& value);
  /// An axis.
  void vary(const std::string& name, const Placed& values);
};

/// Index of the value, by axis.
using Point = std::vector<std::uint32_t>;

/// A bench and its points: all combinations of the axes' values, the last axis fastest; zipped axes go
/// together. Points must fulfil every condition; a sample takes N of these.
struct Plan {
  std::string bench;
  std::vector<std::string> words;
  std::vector<Axis> axes;
  std::vector<Point> points;
};

/// ConfigError with every mistake.
[[nodiscard]] Plan plan_of(const Draft& draft);

/// Adds a plan file's contents to a draft. ConfigError if it can't be read; other mistakes go to the draft.
void read_plan(const std::string& file, Draft* draft);
void parse_plan(const std::string& text, const std::string& name, Draft* draft);

/// A point's arguments for kbsim run.
[[nodiscard]] std::vector<std::string> words_of(const Plan& plan, const Point& point);
/// The same as a shell command, "kbsim run ...".
[[nodiscard]] std::string command_of(const Plan& plan, const Point& point);
/// The text of each axis.
[[nodiscard]] std::vector<std::string> values_of(const Plan& plan, const Point& point);

}  // namespace kbsim::sweep
