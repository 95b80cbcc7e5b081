#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/inputs/logs/measurements.hpp"

namespace kbsim::inputs {

/// Columns with a meaning here, whatever a file calls them.
enum class MeasuredColumn : std::uint8_t {
  size,
  count,
  type,
  redop,
  root,
  time,
  algbw,
  busbw,
  wrong,
  in_place,
  timestamp
};
/// "algBw" is algbw, "#wrong" wrong, "size (B)" size. None: another column.
[[nodiscard]] std::optional<MeasuredColumn> column_called(std::string_view name);
/// The canonical name of a file's column; an unknown one keeps its own.
[[nodiscard]] std::string column_named(std::string_view name);

/// Collects the rows of a file: complete ones, and skipped ones with their names.
class MeasuredRows {
 public:
  using Row = std::map<std::string, std::string>;
  explicit MeasuredRows(std::string source, std::vector<std::string> columns);

  /// The place of a row is "run.log:12:1" or "run.json: row 3".
  void add(const std::string& place, Row row);
  void skip(const std::string& place, const std::string& why) {
    found_.skipped.push_back(place + ": " + why);
  }
  /// A row whose results were wrong: its time is no measurement.
  void skip_wrong(const std::string& place, const std::string& wrong) {
    ++found_.wrong;
    skip(place, "#wrong is " + wrong + ": its results were wrong, so its time isn't used");
  }
  /// Skips later times of the same size.
  void once_a_size() { once_ = true; }
  /// Gives each row a column `ranks`, unless that is 0 or the row has one.
  void of_ranks(std::size_t ranks) { ranks_ = ranks; }
  /// Whether the file counts wrong values: a column "wrong", but not the "error" of older logs.
  void counts_wrong() { counts_wrong_ = true; }
  /// The file says which times are in place.
  void of_either_buffers() { found_.of_either_buffers = true; }
  /// UsageError with the first reason if no row is complete.
  [[nodiscard]] Measurements take();

 private:
  [[nodiscard]] std::string fault_of(const Row& row, const char* column) const;
  [[nodiscard]] bool is_new(const Row& row);

  Measurements found_;
  bool once_ = false;
  bool counts_wrong_ = false;
  std::size_t ranks_ = 0;
  std::set<std::string> seen_;
};

/// Whether a row of a file with a column `in_place` is of these buffers; true for files without the column.
[[nodiscard]] bool is_of_buffers(const MeasuredRows::Row& row, Buffers buffers);

/// Whether a count of wrong values is neither 0 nor blank nor N/A.
[[nodiscard]] bool is_wrong(std::string_view count);

[[nodiscard]] bool is_log(std::string_view text);
[[nodiscard]] Measurements read_log(const Text& text, Buffers buffers);
[[nodiscard]] Measurements read_measured_json(const Text& text, Buffers buffers);

}  // namespace kbsim::inputs
