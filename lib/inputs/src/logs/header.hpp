#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/inputs/logs/measurements.hpp"

#include "../cells.hpp"

namespace kbsim::inputs {

/// The header of a log's table: "# size count type redop root time algbw busbw #wrong time ...".
struct LogHeader {
  std::vector<std::string> left;    // size, count, type, redop, perhaps root
  std::vector<std::string> group;   // time, algbw, busbw, wrong
  std::size_t size_end = 0;         // where the name "size" ends
  std::size_t left_end = 0;         // where the last name before the first "time" ends
  std::vector<std::size_t> ends;    // where the name "time" of each group ends, one or two
  std::size_t behind = 0;           // columns behind both groups: #iters
  bool counts_wrong = true;         // "#wrong" is a count; "error", of older logs, the largest deviation
  bool cpu_time = false;            // "cputime": how long the CPU issues the calls
  double us = 1.0;                  // a time of 1 in microseconds
  std::vector<Buffers> order = {};  // of the groups, as the line above says; empty: it doesn't say

  [[nodiscard]] std::size_t groups() const { return ends.size(); }
  [[nodiscard]] bool says_buffers() const { return groups() == 2 || !order.empty(); }
  /// Out of place comes first unless the line above says otherwise.
  [[nodiscard]] std::optional<std::size_t> group_of(Buffers buffers) const;
};

/// Reads a line that begins with '#'; none if it is no header.
[[nodiscard]] std::optional<LogHeader> log_header_in(std::string_view line);

/// Reads the line above a header: "#      out-of-place      in-place". Empty for other lines.
[[nodiscard]] std::vector<Buffers> order_of_groups_in(std::string_view line);

/// Of the line below a header: "#    (B)    (elements)   (us)  (GB/s)  (GB/s)". Empty for other lines.
struct LogUnits {
  std::string size;
  std::string time;
};
[[nodiscard]] std::optional<LogUnits> units_in(std::string_view line);
/// A time of 1 of that unit in microseconds; none of an unknown one.
[[nodiscard]] std::optional<double> microseconds_in(std::string_view unit);

/// Where a row's cells are: how many words are on the left, and which group's words follow. A row may leave
/// one of two groups blank; its words then stand under the header of the other one.
struct RowLayout {
  std::size_t left = 0;
  std::vector<std::size_t> groups = {};  // in the order of the row
};
/// None if the words aren't a row of that header.
[[nodiscard]] std::optional<RowLayout> layout_of(const LogHeader& header, const std::vector<Cell>& words);

}  // namespace kbsim::inputs
