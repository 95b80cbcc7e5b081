#include "ccl_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/evaluate/row_question.hpp"

namespace kbsim::app {
namespace {

constexpr const char* kWithSoftware = "with_software";

bool has_in_place(const boost::json::object& row) { return row.contains("in_place_time"); }

// Columns of nccl-tests, by what the table has room for: all, unless a second group or the limit stands
// beside them. nccl-tests has the group of time, bandwidths and #wrong out of place and in place.
struct Shown {
  bool count = true;  // and the type and the root
  bool redop = true;
  bool algbw = true;
  bool busbw = true;
};

Shown shown_of(report::Columns columns, bool both, bool limited) {
  if (columns == report::Columns::all || (!both && !limited)) return {};
  return {.count = false, .redop = both && !limited, .algbw = !both, .busbw = !both || !limited};
}

// The cells of a group that are shown.
std::string group(const Shown& shown, std::string_view time, std::string_view algbw, std::string_view busbw,
                  std::string_view wrong) {
  std::string text = fmt::format(" {:>10}", time);
  if (shown.algbw) text += fmt::format(" {:>7}", algbw);
  if (shown.busbw) text += fmt::format(" {:>7}", busbw);
  return text + fmt::format(" {:>6}", wrong);
}

std::string cells(const Shown& shown, const boost::json::object& row, const std::string& prefix) {
  const auto number = [&](const char* key) { return row.at(prefix + key).to_number<double>(); };
  const boost::json::value& wrong = row.at(prefix + "nwrong");
  return group(shown, fmt::format("{:.3f}", number("time")), fmt::format("{:.2f}", number("alg_bw")),
               fmt::format("{:.2f}", number("bus_bw")),
               wrong.is_null() ? "N/A" : fmt::format("{}", wrong.to_number<std::int64_t>()));
}

// The cells that say what ran.
std::string input_cells(const Shown& shown, std::string_view size, std::string_view count,
                        std::string_view type, std::string_view redop, std::string_view root) {
  std::string text = fmt::format("{:>10}", size);
  if (shown.count) text += fmt::format(" {:>10} {:>8}", count, type);
  if (shown.redop) text += fmt::format(" {:>6}", redop);
  if (shown.count) text += fmt::format(" {:>5}", root);
  return text;
}

std::string input_cells(const Shown& shown, const boost::json::object& row) {
  return input_cells(shown, std::to_string(row.at("size").to_number<std::int64_t>()),
                     std::to_string(row.at("count").to_number<std::int64_t>()), row.at("type").as_string(),
                     row.at("redop").as_string(), std::to_string(row.at("root").to_number<int>()));
}

std::int64_t wrong_in(const boost::json::object& row, const char* key) {
  const boost::json::value* const wrong = row.if_contains(key);
  return wrong == nullptr || wrong->is_null() ? 0 : wrong->to_number<std::int64_t>();
}

// One rank has no bus to others: the factor counts the parts of its PEs.
std::string bus_note(const boost::json::object& row) {
  if (row.at("world_size").to_number<int>() > 1) return {};
  const double factor = row.at("bus_bw").to_number<double>() / row.at("alg_bw").to_number<double>();
  return factor > 0.0
             ? fmt::format("# busbw on 1 rank      : algbw x {:.4g}, by the parts of its PEs\n", factor)
             : "# busbw on 1 rank      : 0, one part alone crosses no bus\n";
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// Whether rows differ in their algorithms: each picked its own.
bool shows_algorithms(const evaluate::Rows& rows) {
  const auto algorithm = [](const boost::json::value& row) {
    return row.as_object().at("algorithm").as_string();
  };
  return std::ranges::any_of(rows,
                             [&](const auto& row) { return algorithm(row) != algorithm(rows.front()); });
}

// Two lines, and a line above them that names the groups if there are two.
std::string head(const Shown& shown, const boost::json::object& first, bool picked) {
  const bool both = has_in_place(first);
  const auto twice = [&](const std::string& one) { return both ? one + one : one; };
  const std::string titles = twice(group(shown, "time", "algbw", "busbw", "#wrong")) +
                             evaluate::limit_head(first) + (picked ? "  picked" : "") +
                             (first.contains(kWithSoftware) ? "  with software (us)" : "");
  const std::string units = twice(group(shown, "(us)", "(GB/s)", "(GB/s)", ""));
  std::string lines;
  if (both) {
    const std::size_t width = group(shown, "", "", "", "").size();
    lines = without_end(fmt::format("# {:>{}}{:^{}}{:^{}}", "", input_cells(shown, "", "", "", "", "").size(),
                                    "out-of-place", width, "in-place", width)) +
            "\n";
  }
  lines += fmt::format("# {}{}\n", input_cells(shown, "size", "count", "type", "redop", "root"), titles);
  return lines +
         without_end(fmt::format("# {}{}", input_cells(shown, "(B)", "(elements)", "", "", ""), units)) +
         "\n";
}

std::string verdict(std::int64_t wrong) {
  return wrong == 0 ? in_role(Role::good, "OK") : in_role(Role::bad, "FAILED");
}

}  // namespace

std::string ccl_table(const evaluate::Rows& rows, report::Columns columns) {
  const boost::json::object& first = rows.front().as_object();
  const Shown shown = shown_of(columns, has_in_place(first), evaluate::has_limits(rows));
  const bool picked = shows_algorithms(rows);
  std::string lines = fmt::format("# {} on {}, slots in {}\n#\n",
                                  picked ? "algorithms by size" : first.at("algorithm").as_string().c_str(),
                                  counted(first.at("world_size").to_number<int>(), "rank"),
                                  first.at("buffer_kind").as_string().c_str());
  lines += in_role(Role::head, head(shown, first, picked));
  double bus = 0.0;
  std::int64_t wrong = 0;
  for (const auto& value : rows) {
    const boost::json::object& row = value.as_object();
    const std::int64_t own = wrong_in(row, "nwrong") + wrong_in(row, "in_place_nwrong");
    wrong += own;
    bus += row.at("bus_bw").to_number<double>();
    const std::string line =
        fmt::format("  {}{}{}{}", input_cells(shown, row), cells(shown, row, ""),
                    has_in_place(row) ? cells(shown, row, "in_place_") : "", evaluate::limit_cell(row)) +
        (picked ? fmt::format("  {}", row.at("algorithm").as_string().c_str()) : "") +
        (row.contains(kWithSoftware) ? fmt::format("  {:>18.3f}", row.at(kWithSoftware).to_number<double>())
                                     : "");
    lines += (own > 0 ? in_role(Role::bad, line) : line) + "\n";
  }
  return lines + fmt::format("# Out of bounds values : {} {}\n# Avg bus bandwidth    : {:.4f}\n{}", wrong,
                             verdict(wrong), bus / static_cast<double>(rows.size()), bus_note(first));
}

}  // namespace kbsim::app
