#include "evaluate.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace kbsim::app {
namespace {

namespace json = boost::json;

bool correct(const Rows& rows) {
  return std::ranges::all_of(rows, [](const json::value& row) { return row.at("correct").as_bool(); });
}

json::object summary_json(const EvaluateOptions& options, const Rows& rows) {
  return {{"schema_version", 1},
          {"version", KBSIM_VERSION},
          {"bench", options.name},
          {"correct", correct(rows)},
          {"rows", rows}};
}

Rows earlier_rows(const EvaluateOptions& options) {
  const std::string file = options.out + "/summary.json";
  std::ifstream in{file};
  if (options.out.empty() || !in)
    throw UsageError{fmt::format("--reuse: no {} (expected --out DIR with the results of an earlier run)",
                                 options.out.empty() ? "folder of results" : file)};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  boost::system::error_code error;
  const json::value all = json::parse(text, error);
  const json::object* object = error ? nullptr : all.if_object();
  const json::value* bench = object == nullptr ? nullptr : object->if_contains("bench");
  const json::value* rows = object == nullptr ? nullptr : object->if_contains("rows");
  if (bench == nullptr || rows == nullptr || !rows->is_array() || bench->if_string() == nullptr ||
      bench->get_string() != options.name)
    throw UsageError{fmt::format("--reuse: {} doesn't hold the results of {}", file, options.name)};
  return rows->as_array();
}

report::RunSummary summary_of(const Rows& rows, std::chrono::duration<double> wall) {
  report::RunSummary summary{.wall = wall, .peak_memory = report::peak_memory()};
  for (const json::value& row : rows) {
    summary.simulated += from_ns(row.at("simulated_ns").to_number<double>());
    summary.events += row.at("events").to_number<std::uint64_t>();
    summary.digest.add(json::serialize(row));
  }
  return summary;
}

void print(const EvaluateOptions& options, const std::string& text, const Rows& rows) {
  if (options.json) {
    std::cout << json::serialize(summary_json(options, rows)) << '\n';
    return;
  }
  fmt::print("{}", text);
  (void)std::fflush(stdout);
}

}  // namespace

ExitCode evaluate(const Evaluation& evaluation, const EvaluationRequest& request,
                  const EvaluateOptions& options, const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  if (!options.out.empty() && !options.reuse) (void)OutputFolder{options.out};  // now, not when all is done
  const Simulated simulated =
      options.reuse ? Simulated{.rows = earlier_rows(options)} : evaluation.run(request);
  const Rows& rows = simulated.rows;
  if (rows.empty()) return ExitCode::interrupted;
  try {
    const std::string text = evaluation.text(rows);
    const report::RunSummary summary = summary_of(rows, std::chrono::steady_clock::now() - start);
    if (!options.out.empty()) {
      const OutputFolder folder{options.out};
      folder.write("summary.json", summary_json(options, rows));
      folder.write("results.csv", to_csv(rows));
      if (!options.reuse) folder.write_run("run", arguments, std::nullopt, request.machine, summary);
      evaluation.figures(rows, folder);
    }
    print(options, text, rows);
    if (!options.quiet) fmt::print(stderr, "{}\n", report::to_text(summary));
  } catch (const boost::system::system_error& error) {  // a row without what it should have
    throw UsageError{fmt::format("--reuse: the rows in {} aren't those of {}: {}", options.out, options.name,
                                 error.what())};
  } catch (const std::out_of_range& error) {
    throw UsageError{fmt::format("--reuse: the rows in {} aren't those of {}: {}", options.out, options.name,
                                 error.what())};
  }
  if (!correct(rows)) return ExitCode::wrong_values;
  return simulated.whole ? ExitCode::ok : ExitCode::interrupted;
}

}  // namespace kbsim::app
