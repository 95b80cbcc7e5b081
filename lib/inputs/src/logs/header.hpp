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
  std::size_t behind = 0;           // columns after both groups: #iters
  bool counts_wrong = true;         // "#wrong" is a count; "error", of older logs, the largest deviation
  bool cpu_time = false;            // "cputime": time of the CPU to issue the calls
  double us = 1.0;                  // microseconds per unit of time
  std::vector<Buffers> order = {};  // of the groups, from the line above; empty: unknown

  [[nodiscard]] std::size_t groups() const { return ends.size(); }
  [[nodiscard]] bool says_buffers() const { return groups() == 2 || !order.empty(); }
  /// Out of place comes first, unless the line above differs.
  [[nodiscard]] std::optional<std::size_t> group_of(Buffers buffers) const;
};

/// Reads a line that begins with '#'; none if it is no header.
[[nodiscard]] std::optional<LogHeader> log_header_in(std::string_view line);

/// Reads the line above a header: "#      out-of-place      in-place". Empty for other lines.
[[nodiscard]] std::vector<Buffers> order_of_groups_in(std::string_view line);

/// Units from the line below a header: "#    (B)    (elements)   (us)  (GB/s)  (GB/s)". Empty for other
/// lines.
struct LogUnits {
  std::string size;
  std::string time;
};
[[nodiscard]] std::optional<LogUnits> units_in(std::string_view line);
/// The length of a unit in microseconds; none if the unit is unknown.
[[nodiscard]] std::optional<double> microseconds_in(std::string_view unit);

/// Positions of a row's cells: the number of words on the left, and the groups that follow. A row may leave
/// one of two groups blank; its words then stand under the other group's header.
struct RowLayout {
  std::size_t left = 0;
  std::vector<std::size_t> groups = {};  // in the order of the row
};
/// The layout of a row; none if the words aren't a row of that header.
[[nodiscard]] std::optional<RowLayout> layout_of(const LogHeader& header, const std::vector<Cell>& words);

}  // namespace kbsim::inputs
