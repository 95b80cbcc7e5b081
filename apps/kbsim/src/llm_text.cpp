#include "llm_text.hpp"

#include <algorithm>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/llm/model_division.hpp"
#include "kbsim/models/model_config.hpp"

namespace kbsim::app {
namespace {

using boost::json::object;

double number(const object& row, std::string_view key) { return row.at(key).to_number<double>(); }
std::string_view word(const object& row, std::string_view key) { return row.at(key).as_string(); }

std::string limit_text(const object& operation) {
  if (!operation.contains("limited_by") || word(operation, "limited_by").empty()) return "";
  std::string text = fmt::format("  {}", word(operation, "limited_by"));
  if (!word(operation, "limiting_key").empty()) {
    const std::string_view unit = word(operation, "limiting_key_unit");
    text += fmt::format("; {} {:.0f} %, {:+.4g} ns{}{}", word(operation, "limiting_key"),
                        100.0 * number(operation, "limiting_key_share"),
                        number(operation, "limiting_key_ns_per_unit"), unit.empty() ? "" : " per ", unit);
  }
  if (!word(operation, "explained_part").empty())
    text += fmt::format(" ({})", word(operation, "explained_part"));
  return text;
}

std::string time_line(const object& row) {
  return fmt::format(
      "  {:<14}{:>8.0f} {:>11.3f} {:>11.3f} {:>6.1f} {:>12.3f} {:>10.3f} {:>9.3f} {:>9.3f} {:>9.3f} "
      "{:>6.1f} {:>6.1f} {:>11.3f}  {:<13} {:>6.1f}  {:<8}",
      word(row, "operation"), number(row, "launches"), number(row, "span_us"), number(row, "path_us"),
      100.0 * number(row, "share"), number(row, "flop") / 1e6, number(row, "hbm_bytes") / 1e6,
      number(row, "noc_bytes") / 1e6, number(row, "ucie_bytes") / 1e6, number(row, "package_bytes") / 1e6,
      100.0 * number(row, "flop_of_peak"), 100.0 * number(row, "hbm_of_peak"), number(row, "roofline_us"),
      word(row, "roofline"), 100.0 * number(row, "of_roofline"), word(row, "mapping"));
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string path_cells(std::string_view name, double path_us, double share) {
  return fmt::format("  {:<34} {:>11.3f} {:>6.1f}", name, path_us, 100.0 * share);
}

std::string between_limit(const object& step) {
  return step.contains("between") ? limit_text(step.at("between").as_object()) : "";
}

std::string sums_text(const object& step, double time) {
  std::string lines;
  for (const auto& value : step.at("sums").as_array()) {
    const object& sum = value.as_object();
    if (number(sum, "launches") == 0) continue;
    lines += trimmed(time_line(sum));
    const double layers = number(step, "layers");
    if (word(sum, "operation") == "all layers" && layers > 1)
      lines += path_cells("a layer", number(sum, "path_us") / layers, number(sum, "share") / layers) + "\n";
  }
  return lines + trimmed(path_cells("between operations", number(step, "between_us"),
                                    number(step, "between_us") / time) +
                         between_limit(step));
}

// Bytes of memories, beside the closed form.
std::string memory_text(const object& step) {
  std::string lines =
      "  bytes (MB)    least (us)   weights     cache       HBM   re-read  activations       TCM  padding "
      "(MFLOP)\n";
  for (const auto& value : step.at("operations").as_array()) {
    const object& row = value.as_object();
    lines +=
        fmt::format("  {:<14}{:>10.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>12.3f} {:>9.3f} {:>16.3f}\n",
                    word(row, "operation"), number(row, "least_us"), number(row, "weight_bytes") / 1e6,
                    (number(row, "cache_read_bytes") + number(row, "cache_written_bytes")) / 1e6,
                    number(row, "hbm_bytes") / 1e6, number(row, "reread_bytes") / 1e6,
                    number(row, "activation_bytes") / 1e6, number(row, "tcm_bytes") / 1e6,
                    number(row, "padding_flop") / 1e6);
  }
  return lines;
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
    lines += fmt::format("  logits: {}, largest error {:.3g}\n",
                         step.at("correct").as_bool() ? "as the undivided model's in f64" : "WRONG",
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

std::string step_text(const object& step) {
  const double time = time_of(step).us;
  const auto& operations = step.at("operations").as_array();
  const bool explained = !operations.empty() && operations.front().as_object().contains("limited_by");
  std::string lines = fmt::format(
      " {} on {}: {}, {} of {} after {}, {}, mapping {}\n{}"
      "  operation     launches   span (us)   path (us)  share        MFLOP   HBM (MB)  NOC (MB) UCIe (MB) "
      "link (MB) MACs %  HBM %  roofline (us)  by       of span  mapping{}\n",
      word(step, "phase"), word(step, "place"), counted(step.at("layers").to_number<int>(), "layer"),
      counted(step.at("rows").to_number<int>(), "row"), sequences_text(step), context_text(step),
      dtype_text(step), word(step, "mapping"), division_text(step), explained ? "   limited by" : "");
  for (const auto& value : operations) {
    const object& row = value.as_object();
    lines += trimmed(time_line(row) + limit_text(row));
  }
  return lines + "  sums\n" + sums_text(step, time) + memory_text(step) + choices_text(step) +
         closing_text(step, time);
}

}  // namespace

std::string llm_text(const boost::json::array& rows) {
  std::string lines;
  for (const auto& row : rows) lines += step_text(row.as_object());
  if (!rows.empty()) lines += segments_text(rows.front().at("segments").as_object());
  return lines;
}

}  // namespace kbsim::app
