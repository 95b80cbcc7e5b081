#include "llm_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/wrap.hpp"
#include "kbsim/llm/model_division.hpp"
#include "kbsim/models/model_config.hpp"

namespace kbsim::app {
namespace {

using boost::json::object;

double number(const object& row, std::string_view key) { return row.at(key).to_number<double>(); }
std::string_view word(const object& row, std::string_view key) { return row.at(key).as_string(); }

// The key that limits an operation, after what limits it: "; cube.noc.link_bw_gbs 12 %, -0.5 ns per GB/s".
std::string key_text(const object& operation) {
  if (word(operation, "limiting_key").empty()) return "";
  const std::string_view unit = word(operation, "limiting_key_unit");
  return fmt::format("; {} {:.0f} %, {:+.4g} ns{}{}", word(operation, "limiting_key"),
                     100.0 * number(operation, "limiting_key_share"),
                     number(operation, "limiting_key_ns_per_unit"), unit.empty() ? "" : " per ", unit);
}

// With all columns also what the key is worth; else its name, if it leaves the line short.
std::string limit_text(const object& operation, report::Columns columns) {
  constexpr std::size_t kMost = 49;
  if (!operation.contains("limited_by") || word(operation, "limited_by").empty()) return "";
  const std::string limit{word(operation, "limited_by")};
  const std::string_view part = word(operation, "explained_part");
  const std::string end = part.empty() ? "" : fmt::format(" ({})", part);
  if (columns == report::Columns::all) return limit + key_text(operation) + end;
  const std::string_view key = word(operation, "limiting_key");
  const bool fits = !key.empty() && limit.size() + key.size() + end.size() + 2 <= kMost;
  return limit + (fits ? fmt::format("; {}", key) : "") + end;
}

using Cells = std::vector<std::string>;

std::vector<report::TextTable::Column> columns_of(bool limited) {
  std::vector<report::TextTable::Column> columns{{.title = "operation", .is_text = true},
                                                 {.title = "launches", .is_wide = limited},
                                                 {.title = "span", .unit = "(us)", .is_wide = limited},
                                                 {.title = "path", .unit = "(us)"},
                                                 {.title = "share", .unit = "(%)", .is_wide = limited},
                                                 {.title = "MFLOP", .is_wide = true},
                                                 {.title = "HBM", .unit = "(MB)", .is_wide = true},
                                                 {.title = "NOC", .unit = "(MB)", .is_wide = true},
                                                 {.title = "UCIe", .unit = "(MB)", .is_wide = true},
                                                 {.title = "link", .unit = "(MB)", .is_wide = true},
                                                 {.title = "MACs", .unit = "(%)", .is_wide = limited},
                                                 {.title = "HBM", .unit = "(%)", .is_wide = limited},
                                                 {.title = "roofline", .unit = "(us)", .is_wide = true},
                                                 {.title = "by", .is_text = true, .is_wide = true},
                                                 {.title = "of span", .unit = "(%)", .is_wide = true},
                                                 {.title = "mapping", .is_text = true, .is_wide = limited}};
  if (limited) columns.push_back({.title = "limited by", .is_text = true});
  return columns;
}

Cells cells_of(const object& row) {
  return {std::string{word(row, "operation")},
          fmt::format("{:.0f}", number(row, "launches")),
          fmt::format("{:.3f}", number(row, "span_us")),
          fmt::format("{:.3f}", number(row, "path_us")),
          fmt::format("{:.1f}", 100.0 * number(row, "share")),
          fmt::format("{:.3f}", number(row, "flop") / 1e6),
          fmt::format("{:.3f}", number(row, "hbm_bytes") / 1e6),
          fmt::format("{:.3f}", number(row, "noc_bytes") / 1e6),
          fmt::format("{:.3f}", number(row, "ucie_bytes") / 1e6),
          fmt::format("{:.3f}", number(row, "package_bytes") / 1e6),
          fmt::format("{:.1f}", 100.0 * number(row, "flop_of_peak")),
          fmt::format("{:.1f}", 100.0 * number(row, "hbm_of_peak")),
          fmt::format("{:.3f}", number(row, "roofline_us")),
          std::string{word(row, "roofline")},
          fmt::format("{:.1f}", 100.0 * number(row, "of_roofline")),
          std::string{word(row, "mapping")}};
}

// A step's table: operations, then their sums.
class StepTable {
 public:
  StepTable(bool limited, report::Columns columns)
      : limited_{limited}, columns_{columns}, table_{columns_of(limited), columns} {}

  void add(const object& row, bool has_limit) {
    add(cells_of(row), has_limit ? limit_text(row, columns_) : "");
  }
  void add(std::string name, double path_us, double share, std::string limit) {
    Cells cells(columns_of(false).size());
    cells[0] = std::move(name);
    cells[3] = fmt::format("{:.3f}", path_us);
    cells[4] = fmt::format("{:.1f}", 100.0 * share);
    add(std::move(cells), std::move(limit));
  }
  void add_title(std::string title) {
    Cells cells(columns_of(false).size());
    cells[0] = std::move(title);
    add(std::move(cells), "");
  }
  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  void add(Cells cells, std::string limit) {
    if (limited_) cells.push_back(std::move(limit));
    table_.add(std::move(cells));
  }
  bool limited_;
  report::Columns columns_;
  report::TextTable table_;
};

void add_sums(const object& step, double time, report::Columns columns, StepTable& to) {
  to.add_title("sums");
  for (const auto& value : step.at("sums").as_array()) {
    const object& sum = value.as_object();
    if (number(sum, "launches") == 0) continue;
    to.add(sum, false);
    const double layers = number(step, "layers");
    if (word(sum, "operation") == "all layers" && layers > 1)
      to.add("a layer", number(sum, "path_us") / layers, number(sum, "share") / layers, "");
  }
  to.add("between operations", number(step, "between_us"), number(step, "between_us") / time,
         step.contains("between") ? limit_text(step.at("between").as_object(), columns) : "");
}

// Bytes of memories, beside the closed form.
std::string memory_text(const object& step, report::Columns columns) {
  report::TextTable table{{{.title = "bytes (MB)", .is_text = true},
                           {.title = "least (us)"},
                           {.title = "weights"},
                           {.title = "cache"},
                           {.title = "HBM"},
                           {.title = "re-read", .is_wide = true},
                           {.title = "activations"},
                           {.title = "TCM"},
                           {.title = "padding (MFLOP)", .is_wide = true}},
                          columns};
  const auto mega = [](double n) { return fmt::format("{:.3f}", n / 1e6); };
  for (const auto& value : step.at("operations").as_array()) {
    const object& row = value.as_object();
    table.add({std::string{word(row, "operation")}, fmt::format("{:.3f}", number(row, "least_us")),
               mega(number(row, "weight_bytes")),
               mega(number(row, "cache_read_bytes") + number(row, "cache_written_bytes")),
               mega(number(row, "hbm_bytes")), mega(number(row, "reread_bytes")),
               mega(number(row, "activation_bytes")), mega(number(row, "tcm_bytes")),
               mega(number(row, "padding_flop"))});
  }
  return table.text();
}

// Estimates that each product's mapping was chosen by, with mapping auto.
std::string choices_text(const object& step) {
  std::string lines;
  for (const auto& value : step.at("choices").as_array()) {
    const object& choice = value.as_object();
    const object& estimates = choice.at("estimates_us").as_object();
    if (estimates.size() < 2) continue;
    std::string line = fmt::format("  {:<13} {:<8} of", word(choice, "operation"), word(choice, "mapping"));
    for (const auto& estimate : estimates)
      line +=
          fmt::format(" {} {:.3f},", std::string_view{estimate.key()}, estimate.value().to_number<double>());
    lines += line + fmt::format(" simulated {:.3f}\n", number(choice, "simulated_us"));
  }
  return lines.empty() ? "" : "  mapping auto, by estimates of a launch (us)\n" + lines;
}

// A step's time by its name.
struct NamedTime {
  std::string_view name;
  double us = 0.0;
};
NamedTime time_of(const object& step) {
  if (step.at("ttft_us").is_number()) return {"TTFT", number(step, "ttft_us")};
  if (step.at("tpot_us").is_number()) return {"TPOT", number(step, "tpot_us")};
  return {"a mixed step", number(step, "step_us")};
}

std::string closing_text(const object& step, double time) {
  std::string lines = fmt::format(
      "  {} {:.3f} us, {:.1f} tokens/s a user, {:.1f} in all; by closed form at least {:.3f} us, {:.2f} "
      "times "
      "as long; HBM {:.3f} MB of weights and cache, {:.3f} MB simulated\n",
      time_of(step).name, time, number(step, "tokens_per_s_user"), number(step, "tokens_per_s"),
      number(step, "least_us"), time / number(step, "least_us"),
      (number(step, "weight_bytes") + number(step, "cache_bytes")) / 1e6,
      number(step, "hbm_bytes_simulated") / 1e6);
  if (step.at("correct").is_bool())
    lines += fmt::format(
        "  logits: {}, largest error {:.3g}\n",
        step.at("correct").as_bool() ? "as the undivided model's in f64" : in_role(Role::bad, "WRONG"),
        number(step, "max_error"));
  return lines;
}

// The packages that run, and those that the table shows.
std::string division_text(const object& step) {
  const auto count = [&](const char* key) { return step.at(key).to_number<int>(); };
  const inference::Division division{.tp = count("tp"), .pp = count("pp"), .dp = count("dp")};
  if (division.ranks() == 1) return "  package 0 runs\n";
  const int copy = count("slowest_copy");
  const int parts = count("micro_batches");
  const int first = division.rank_of({0, 0, copy});
  const int last = division.rank_of({0, division.pp - 1, copy});
  return fmt::format(
      "  packages 0 to {} run: --tp {}{}, --pp {}{}, --dp {}, numbered in this order; the table is of "
      "package "
      "{}{}\n",
      division.ranks() - 1, division.tp, step.at("sequence_parallel").as_bool() ? " with rows divided" : "",
      division.pp, parts == 1 ? "" : fmt::format(" with {} micro-batches", parts), division.dp, first,
      last == first ? ""
                    : fmt::format(" to {} in steps of {}, one stage after the other", last, division.tp));
}

// "8 sequences", or "a chunk of 64 and 8 sequences".
std::string sequences_text(const object& step) {
  const std::string batch = counted(step.at("batch").to_number<int>(), "sequence");
  if (step.at("step_us").is_null()) return batch;
  return fmt::format("a chunk of {} and {}", step.at("prompt").to_number<int>(), batch);
}

// "1024 tokens", or "100 to 2000 tokens" of sequences with contexts of their own.
std::string context_text(const object& step) {
  const std::string most = counted(step.at("context").to_number<int>(), "token");
  const boost::json::array& contexts = step.at("contexts").as_array();
  if (contexts.empty()) return most;
  const auto less = [](const auto& a, const auto& b) { return a.as_int64() < b.as_int64(); };
  return fmt::format("{} to {}", std::ranges::min_element(contexts, less)->as_int64(), most);
}

// Launches of all steps, from an attention to the next one.
std::string segments_text(const object& segments) {
  if (!segments.at("refused").is_null())
    return fmt::format("  all stretches from one attention to the next were simulated: {}\n",
                       word(segments, "refused"));
  const int simulated = segments.at("simulated").to_number<int>();
  const int repeated = segments.at("repeated").to_number<int>();
  return fmt::format("  {} from one attention to the next {} simulated, {} {} equal to these\n",
                     counted(simulated, "stretch", "stretches"), simulated == 1 ? "was" : "were", repeated,
                     repeated == 1 ? "is" : "are");
}

std::string dtype_text(const object& step) {
  return fmt::format("{}{}", word(step, "dtype"),
                     step.at("dtype_assumed").as_bool() ? models::kAssumedDtype : "");
}

std::string title_of(const object& step) {
  return fmt::format(" {} on {}: {}, {} of {} after {}, {}, mapping {}\n", word(step, "phase"),
                     word(step, "place"), counted(step.at("layers").to_number<int>(), "layer"),
                     counted(step.at("rows").to_number<int>(), "row"), sequences_text(step),
                     context_text(step), dtype_text(step), word(step, "mapping"));
}

std::string step_text(const object& step, report::Columns columns) {
  const double time = time_of(step).us;
  const auto& operations = step.at("operations").as_array();
  StepTable table{!operations.empty() && operations.front().as_object().contains("limited_by"), columns};
  for (const auto& value : operations) table.add(value.as_object(), true);
  add_sums(step, time, columns, table);
  return wrapped(title_of(step), 3) + wrapped(division_text(step), 4) + table.text() +
         memory_text(step, columns) + wrapped(choices_text(step), 4) + wrapped(closing_text(step, time), 4);
}

}  // namespace

std::string llm_text(const boost::json::array& rows, report::Columns columns) {
  std::string lines;
  for (const auto& row : rows) lines += step_text(row.as_object(), columns);
  if (!rows.empty()) lines += wrapped(segments_text(rows.front().at("segments").as_object()), 4);
  return lines;
}

}  // namespace kbsim::app
