#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/sweep/records.hpp"
#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// A number that a point has found, with its unit; "1" of counts and ratios.
struct Metric {
  std::string name;
  std::string unit;
  double value = 0.0;
};

/// The numbers in a record's document, by name: of its result, or of its rows. Several rows are labelled by
/// the first input that distinguishes them, "time[size=4096]", or by inputs that do so together,
/// "time_us[phase=decode ranks=2]". Inputs are the columns before the first time, rate or percentage. If they
/// don't distinguish all rows: "time[row=0]".
[[nodiscard]] std::vector<Metric> metrics_in(const std::string& document);
/// The default metric among these names: the latency or the time of the first row. For a bench with several
/// launches and no number of its own: the run's. Else another time, but no sum over messages; else the first.
/// "" if there are none.
[[nodiscard]] std::string usual_metric(const std::vector<std::string>& names);
/// The metric of that name, or of that name and a unit ("latency": "latency_ns"); "" if there is none.
[[nodiscard]] std::string metric_meant(const std::string& asked, const std::vector<std::string>& names);
/// name_hint() with metrics of several rows listed once.
[[nodiscard]] std::string metric_hint(const std::string& asked, const std::vector<std::string>& names);

/// One point and its known results.
struct Row {
  std::size_t point = 0;
  std::vector<std::string> values;  // of the axes
  std::string command;              // repeats it
  std::string key;                  // "" before it has run
  const Record* record = nullptr;   // nullptr before it has run
  std::vector<Metric> metrics;

  [[nodiscard]] const Metric* find(std::string_view metric) const;
};

/// All that a sweep found, a row a point of the plan, in its order.
struct Tables {
  Plan plan;
  Cache cache;
  std::vector<Row> rows;
};

/// Writes the plan's points and their requests, for a later merge in other processes. False if the folder has
/// exactly that already.
bool write_plan(const std::filesystem::path& out, const Plan& plan, const std::vector<std::string>& requests);
[[nodiscard]] bool has_plan(const std::filesystem::path& out, const Plan& plan,
                            const std::vector<std::string>& requests);
/// UsageError if it isn't a sweep's folder.
[[nodiscard]] Tables read_tables(const std::filesystem::path& out);

/// A line a point: its parameters, exit code, message, command.
[[nodiscard]] std::string points_csv(const Tables& tables);
/// A line a number of a point: its parameters, metric, unit, value, key.
[[nodiscard]] std::string results_csv(const Tables& tables);
/// Unsupported, naming the package, if kbsim was built without SQLite.
void require_database();
/// sweep.sqlite: points, results, runs, links. UsageError if it can't be written.
void write_database(const std::filesystem::path& file, const Tables& tables);

}  // namespace kbsim::sweep
