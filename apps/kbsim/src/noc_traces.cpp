// kbsim traffic --trace: recorded NOC traces, predicted against measured barriers.
#include "noc_traces.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>
#include <system_error>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/config/describe.hpp"
#include "kbsim/inputs/noc/noc_trace.hpp"
#include "kbsim/report/output_file.hpp"
#include "kbsim/report/run_summary.hpp"
#include "kbsim/signals/stop_signals.hpp"
#include "kbsim/sim/deadlock.hpp"

#include "config_folders.hpp"
#include "out_page.hpp"
#include "parse_options.hpp"
#include "standing_line.hpp"

namespace kbsim::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::size_t kPiece = std::size_t{64} << 10;  // of barriers.csv

const std::string kTraceExamples = R"(
examples:
  kbsim traffic --topology wormhole.yaml --trace TRACE.json
  kbsim traffic --topology wormhole.yaml --trace TRACES --out barriers
  kbsim traffic --topology wormhole.yaml --trace A.json B.json --set hop_ns=10 --json
)";

inputs::NocExtent extent_of(const config::NocToriSpec& spec) {
  return {.w = spec.w, .h = spec.h, .layers = static_cast<int>(spec.ways.size())};
}

std::vector<std::string> in_folder(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{folder, error})
    if (std::error_code ignored; entry.path().extension() == ".json" && entry.is_regular_file(ignored))
      files.push_back(entry.path().string());
  if (error) throw UsageError{fmt::format("--trace {}: can't be read: {}", folder.string(), error.message())};
  if (files.empty()) throw UsageError{fmt::format("--trace {}: no .json in that folder", folder.string())};
  std::ranges::sort(files);
  return files;
}

// Reads the file piece by piece.
hw::NocResult play_file(const inputs::NocTrace& trace, const topology::NocNetwork& network, hw::NocLoop loop,
                        const hw::NocBarrierSink& ended) {
  std::vector<hw::NocStream> streams;
  for (const inputs::NocSection& section : trace.sections) {
    auto cursor = std::make_shared<inputs::NocCursor>(trace, section, extent_of(network.spec()));
    streams.emplace_back([cursor] { return cursor->next(); });
  }
  return hw::replay_noc(network, streams, loop, ended);
}

std::string name_of(const inputs::NocTrace& trace) { return trace.file.filename().string(); }

std::string left_out_text(const inputs::NocTrace& trace) {
  std::string text;
  for (const auto& [type, count] : trace.left_out)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count, type);
  return text.empty() ? text : fmt::format("{}: left out: {}\n", name_of(trace), text);
}

boost::json::object json_of(const inputs::NocTrace& trace, const hw::NocResult& open) {
  boost::json::object left;
  for (const auto& [type, count] : trace.left_out) left[type] = count;
  return {{"trace", name_of(trace)},     {"events", trace.events},     {"processors", trace.sections.size()},
          {"transfers", open.transfers}, {"bytes", open.bytes},        {"cycles", open.cycles},
          {"most_live", open.most_live}, {"left_out", std::move(left)}};
}

// Plays traces one after the other, each in both loops.
class Traces {
 public:
  explicit Traces(config::NocToriSpec spec) : network_{std::move(spec)} {}

  // A trace that a signal stops isn't whole; traces that ended before are kept.
  void play(const std::vector<std::string>& files, BarrierRows& rows) try {
    for (const std::string& file : files) play(file, rows);
  } catch (const Interrupted&) {
    interrupted_ = true;
  }

  [[nodiscard]] boost::json::object summary() const {
    boost::json::object all{{"schema_version", 1},
                            {"title", "recorded NOC traces"},
                            {"result", evaluate::noc_json(columns_)},
                            {"traces", traces_}};
    if (interrupted_) all["interrupted"] = true;
    return all;
  }
  [[nodiscard]] const std::vector<evaluate::NocColumn>& columns() const { return columns_; }
  [[nodiscard]] const std::string& notes() const { return notes_; }
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  /// Totals of everything that has ended.
  [[nodiscard]] const NocTally& tally() const { return tally_; }

 private:
  void play(const std::string& file, BarrierRows& rows) {
    const inputs::NocTrace trace = inputs::NocTrace::open(file, extent_of(network_.spec()));
    notes_ += left_out_text(trace);
    traces_.push_back(json_of(trace, play(trace, hw::NocLoop::open, columns_[0], rows)));
    (void)play(trace, hw::NocLoop::closed, columns_[1], rows);
  }

  hw::NocResult play(const inputs::NocTrace& trace, hw::NocLoop loop, evaluate::NocColumn& column,
                     BarrierRows& rows) {
    hw::NocResult result;
    rows.add(column, name_of(trace), [&](const hw::NocBarrierSink& ended) {
      result = play_file(trace, network_, loop, [&](const hw::NocBarrier& barrier) {
        tally_.add(barrier);
        ended(barrier);
      });
    });
    tally_.add(result, network_.spec());
    return result;
  }

  topology::NocNetwork network_;
  std::vector<evaluate::NocColumn> columns_{evaluate::NocColumn{"open loop"},
                                            evaluate::NocColumn{"closed loop"}};
  boost::json::array traces_;
  std::string notes_;
  NocTally tally_;
  bool interrupted_ = false;
};

void write(const report::OutputFolder& folder, const Traces& traces, const NocRun& run,
           const report::RunSummary& summary) {
  folder.write("summary.json", traces.summary());
  folder.write_run(run.record(!traces.interrupted()), summary);
  draw_noc(folder, traces.columns());
}

void print(const NocOptions& options, const Traces& traces, std::size_t files) {
  if (options.json)
    std::cout << json_as_utf8(boost::json::serialize(traces.summary())) << '\n';
  else
    fmt::print("{}", evaluate::noc_table(traces.columns()));
  std::fflush(stdout);
  if (!options.quiet && !traces.notes().empty()) say("{}", traces.notes());
  if (traces.interrupted())
    say("kbsim: interrupted: {} of {} traces are whole, what had ended of another is beside them\n",
        traces.columns().back().traces().size(), files);
}

}  // namespace

void NocOptions::describe(po::options_description& to) {
  auto add = to.add_options();
  add("topology", po::value(&topology)->value_name("FILE"),
      "the NOCs of the chip (default wormhole.yaml); looked for in the current folder, then among the "
      "installed "
      "configs");
  add("set", po::value(&set)->value_name("KEY=VALUE")->composing(),
      "override one key of the topology file; repeatable");
  add("trace", po::value(&traces)->value_name("FILE")->multitoken()->composing()->required(),
      "recorded NOC traces, or folders of them");
  add("out", po::value(&out)->value_name("DIR"),
      "folder for barriers.csv, summary.json, run.json, config.resolved.yaml, a scatter plot of predicted "
      "against measured times and report.html, a page of all of them");
  add("json", po::bool_switch(&json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&quiet),
      "print no progress, no summary and no names of written files on stderr");
}

config::NocToriSpec NocOptions::spec(const config::Overrides& more) const {
  config::Overrides all = more;
  all.append(set);
  return config::load_noc(topology, all, config_folders());
}

std::vector<std::string> NocOptions::files() const {
  std::vector<std::string> files;
  std::set<std::string> names;
  for (const std::string& trace : traces) {
    std::error_code ignored;
    for (const std::string& file : fs::is_directory(trace, ignored) ? in_folder(trace) : std::vector{trace}) {
      if (!names.insert(fs::path{file}.filename().string()).second)
        throw UsageError{fmt::format("--trace {}: a trace of that name is there already", file)};
      files.push_back(file);
    }
  }
  return files;
}

bool asks_for_trace(const Arguments& arguments) { return option_given(arguments, "trace").has_value(); }

LoadedTrace load_trace(const std::string& file, const config::NocToriSpec& spec) {
  constexpr std::uint64_t kMostEvents = 4'000'000;
  const inputs::NocTrace trace = inputs::NocTrace::open(file, extent_of(spec));
  if (trace.events > kMostEvents)
    throw UsageError{
        fmt::format("{}: {} events, expected at most {} to fit", file, trace.events, kMostEvents)};
  LoadedTrace loaded{.name = trace.file.filename().string(), .streams = {}};
  for (const inputs::NocSection& section : trace.sections) {
    inputs::NocCursor cursor{trace, section, extent_of(spec)};
    std::vector<topology::NocEvent>& events = loaded.streams.emplace_back();
    while (const auto event = cursor.next()) events.push_back(*event);
  }
  return loaded;
}

hw::NocResult play(const LoadedTrace& trace, const topology::NocNetwork& network, hw::NocLoop loop,
                   const hw::NocBarrierSink& ended) {
  std::vector<hw::NocStream> streams;
  for (const std::vector<topology::NocEvent>& events : trace.streams) {
    streams.emplace_back(
        [at = events.begin(), end = events.end()]() mutable -> std::optional<topology::NocEvent> {
          if (at == end) return std::nullopt;
          return *at++;
        });
  }
  return hw::replay_noc(network, streams, loop, ended);
}

void NocTally::add(const hw::NocBarrier& barrier) {
  sum_.digest.add(barrier.stream).add(barrier.first).add(std::llround(1000.0 * barrier.predicted));
}

void NocTally::add(const hw::NocResult& result, const config::NocToriSpec& spec) {
  sum_.events += result.events;
  sum_.simulated += from_ns(result.cycles / spec.clock_ghz);
}

report::RunSummary NocTally::since(std::chrono::steady_clock::time_point start) const {
  report::RunSummary sum = sum_;
  sum.wall = std::chrono::steady_clock::now() - start;
  sum.peak_memory = report::peak_memory();
  return sum;
}

NocRun::NocRun(std::string name, const NocOptions& options, Arguments words)
    : command{std::move(name)}, arguments{std::move(words)}, spec{options.spec()} {
  if (!option_given(arguments, "topology"))
    arguments.insert(arguments.begin(), {"--topology", options.topology});
}

report::RunRecord NocRun::record(bool whole) const {
  return {.command = command,
          .arguments = arguments,
          .configuration = config::resolved_yaml(spec),
          .whole = whole};
}

BarrierRows::BarrierRows(report::FileSink sink) : sink_{std::move(sink)} {
  if (sink_) text_ = evaluate::noc_barriers_head();
}

void BarrierRows::add(evaluate::NocColumn& column, const std::string& trace,
                      const std::function<void(const hw::NocBarrierSink&)>& play) try {
  column.add(trace, [&](const hw::NocBarrierSink& counts) {
    play([&](const hw::NocBarrier& barrier) {
      counts(barrier);
      if (!sink_ || !evaluate::is_judged(barrier)) return;
      text_ += evaluate::noc_barrier_row(column.label(), trace, barrier);
      if (text_.size() >= kPiece) flush();
    });
  });
} catch (const ProcessError& error) {
  std::rethrow_if_nested(error);  // an error of the trace's file or of this one, whichever process met it
  throw;
}

void BarrierRows::flush() {
  if (sink_) sink_(text_);
  text_.clear();
}

void with_barrier_rows(const report::OutputFolder* folder, const std::function<void(BarrierRows&)>& play) {
  if (folder == nullptr) {
    BarrierRows none{nullptr};
    return play(none);
  }
  folder->write_pieces("barriers.csv", [&](const report::FileSink& sink) {
    BarrierRows rows{sink};
    play(rows);
    rows.flush();
  });
}

void draw_noc(const report::OutputFolder& folder, const std::vector<evaluate::NocColumn>& columns) {
  folder.draw({.name = "barriers_scatter",
               .data = evaluate::noc_scatter_csv(columns.back()),
               .script = evaluate::noc_scatter_script(columns.back(), "barriers_scatter")});
}

ExitCode trace_traffic(const Arguments& arguments) {
  NocOptions options;
  po::options_description description{"options of kbsim traffic --trace"};
  options.describe(description);
  parse_options(
      arguments, description,
      {.usage = "kbsim traffic [--topology FILE] --trace FILE... [options]", .examples = kTraceExamples});
  const std::vector<std::string> files = options.files();
  const NocRun run{"traffic", options, arguments};
  Traces traces{run.spec};
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.out);
  return report::run_into(folder.get(), [&] {
    const StopSignals signals;
    with_barrier_rows(folder.get(), [&](BarrierRows& rows) {
      const StandingLine progress{{.shown = !options.quiet, .start = start}};
      traces.play(files, rows);
    });
    if (folder) write(*folder, traces, run, traces.tally().since(start));
    print(options, traces, files.size());
    if (folder) write_report_page(options.out);
    if (folder && !options.quiet) report::say_results(options.out);
    return traces.interrupted() ? ExitCode::interrupted : ExitCode::ok;
  });
}

}  // namespace kbsim::app
