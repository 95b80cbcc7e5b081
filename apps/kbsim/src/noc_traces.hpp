#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "kbsim/config/noc_spec.hpp"
#include "kbsim/evaluate/noc_report.hpp"
#include "kbsim/hw/traffic/noc_replay.hpp"
#include "kbsim/report/output_folder.hpp"
#include "kbsim/report/run_summary.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// The options of commands that play recorded NOC traces.
struct NocOptions {
  std::string topology = "wormhole.yaml";
  std::vector<std::string> set;
  std::vector<std::string> traces;
  std::string out;
  bool json = false;
  bool quiet = false;

  void describe(boost::program_options::options_description& to);
  [[nodiscard]] config::NocToriSpec spec(const config::Overrides& more = {}) const;
  /// The files: *.json of a folder, by name. UsageError for no file, or two files of one name.
  [[nodiscard]] std::vector<std::string> files() const;
};

/// Whether these arguments of `kbsim traffic` are about recorded traces: `--trace`.
[[nodiscard]] bool asks_for_trace(const Arguments& arguments);
ExitCode trace_traffic(const Arguments& arguments);

/// A trace in memory, to play it repeatedly. load_trace() refuses traces of more than a few million events.
struct LoadedTrace {
  std::string name;
  std::vector<std::vector<topology::NocEvent>> streams;
};
[[nodiscard]] LoadedTrace load_trace(const std::string& file, const config::NocToriSpec& spec);
hw::NocResult play(const LoadedTrace& trace, const topology::NocNetwork& network, hw::NocLoop loop,
                   const hw::NocBarrierSink& ended);

/// Totals of played traces: the digest covers all predicted barriers, the time sums all simulations.
class NocTally {
 public:
  void add(const hw::NocBarrier& barrier);
  void add(const hw::NocResult& result, const config::NocToriSpec& spec);
  [[nodiscard]] report::RunSummary since(std::chrono::steady_clock::time_point start) const;

 private:
  report::RunSummary sum_;
};

/// A command on recorded traces, for run.json: its arguments, with the topology named, and the machine.
struct NocRun {
  NocRun(std::string command, const NocOptions& options, Arguments arguments);
  [[nodiscard]] report::RunRecord record(bool whole = true) const;

  std::string command;
  Arguments arguments;
  config::NocToriSpec spec;
};

/// The rows of barriers.csv, written as barriers end.
class BarrierRows {
 public:
  explicit BarrierRows(report::FileSink sink);

  /// Adds a trace to the column. Each barrier that `play` reports also becomes a row.
  void add(evaluate::NocColumn& column, const std::string& trace,
           const std::function<void(const hw::NocBarrierSink&)>& play);
  /// Writes the rest of the text.
  void flush();

 private:
  report::FileSink sink_;
  std::string text_;
};

/// Calls `play` once. Its rows go to barriers.csv of the folder; without a folder they are dropped.
void with_barrier_rows(const report::OutputFolder* folder, const std::function<void(BarrierRows&)>& play);

/// The scatter plot of the last column.
void draw_noc(const report::OutputFolder& folder, const std::vector<evaluate::NocColumn>& columns);

}  // namespace kbsim::app
