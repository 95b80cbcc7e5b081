// kbsim traffic --trace: recorded NOC traces, predicted against measured barriers.
#include "noc_traces.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/inputs/noc/trace.hpp"

#include "config_folders.hpp"
#include "parse_options.hpp"

namespace kbsim::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

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
  for (const auto& entry : fs::directory_iterator{folder})
    if (entry.path().extension() == ".json" && entry.is_regular_file())
      files.push_back(entry.path().string());
  if (files.empty()) throw UsageError{fmt::format("--trace {}: no .json in that folder", folder.string())};
  std::ranges::sort(files);
  return files;
}

struct Played {
  evaluate::NocTraceErrors errors;
  hw::NocResult result;
};

// Piece by piece from the file.
Played play_file(const inputs::NocTrace& trace, const topology::NocNetwork& network, hw::NocLoop loop) {
  std::vector<hw::NocStream> streams;
  for (const inputs::NocSection& section : trace.sections) {
    auto cursor = std::make_shared<inputs::NocCursor>(trace, section, extent_of(network.spec()));
    streams.emplace_back([cursor] { return cursor->next(); });
  }
  Played played{.errors = {.name = trace.file.filename().string(), .barriers = {}},
                .result = hw::replay_noc(network, streams, loop)};
  played.errors.barriers = std::move(played.result.barriers);
  return played;
}

std::string left_out_text(const inputs::NocTrace& trace) {
  std::string text;
  for (const auto& [type, count] : trace.left_out)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count, type);
  return text.empty() ? text : fmt::format("{}: left out: {}\n", trace.file.filename().string(), text);
}

boost::json::object json_of(const inputs::NocTrace& trace, const hw::NocResult& open) {
  boost::json::object left;
  for (const auto& [type, count] : trace.left_out) left[type] = count;
  return {{"trace", trace.file.filename().string()},
          {"events", trace.events},
          {"processors", trace.sections.size()},
          {"transfers", open.transfers},
          {"bytes", open.bytes},
          {"cycles", open.cycles},
          {"left_out", std::move(left)}};
}

}  // namespace

void NocOptions::describe(po::options_description& to) {
  auto add = to.add_options();
  add("topology", po::value(&topology)->value_name("FILE"),
      "the NOCs of the chip (default wormhole.yaml); looked for in the current folder, then among the "
      "installed "
      "configs");
  add("set", po::value(&set)->value_name("KEY=VALUE")->composing(), "override one key of it; repeatable");
  add("trace", po::value(&traces)->value_name("FILE")->multitoken()->composing()->required(),
      "recorded NOC traces, or folders of them");
  add("out", po::value(&out)->value_name("DIR"),
      "write barriers.csv, summary.json and a scatter plot of predicted against measured there");
  add("json", po::bool_switch(&json), "print the result as JSON, and nothing else, on stdout");
  add("quiet", po::bool_switch(&quiet), "no summary on stderr");
}

config::NocToriSpec NocOptions::spec(const config::Overrides& more) const {
  config::Overrides all = more;
  all.insert(all.end(), set.begin(), set.end());
  return config::load_noc(topology, all, config_folders());
}

std::vector<std::string> NocOptions::files() const {
  std::vector<std::string> files;
  std::set<std::string> names;
  for (const std::string& trace : traces) {
    for (const std::string& file : fs::is_directory(trace) ? in_folder(trace) : std::vector{trace}) {
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

evaluate::NocTraceErrors play(const LoadedTrace& trace, const topology::NocNetwork& network,
                              hw::NocLoop loop) {
  std::vector<hw::NocStream> streams;
  for (const std::vector<topology::NocEvent>& events : trace.streams) {
    streams.emplace_back(
        [at = events.begin(), end = events.end()]() mutable -> std::optional<topology::NocEvent> {
          if (at == end) return std::nullopt;
          return *at++;
        });
  }
  return {.name = trace.name, .barriers = hw::replay_noc(network, streams, loop).barriers};
}

void write_noc(const report::OutputFolder& folder, const std::vector<evaluate::NocColumn>& columns,
               const boost::json::object& summary) {
  folder.write("summary.json", boost::json::value(summary));
  folder.write("barriers.csv", evaluate::noc_barriers_csv(columns));
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
  const topology::NocNetwork network{options.spec()};
  const std::unique_ptr<report::OutputFolder> folder = report::folder_named(options.out);
  const StopSignals signals;
  std::vector<evaluate::NocColumn> columns{{.name = "open loop", .traces = {}},
                                           {.name = "closed loop", .traces = {}}};
  boost::json::array traces;
  std::string notes;
  for (const std::string& file : options.files()) {
    const inputs::NocTrace trace = inputs::NocTrace::open(file, extent_of(network.spec()));
    Played open = play_file(trace, network, hw::NocLoop::open);
    columns[0].traces.push_back(std::move(open.errors));
    columns[1].traces.push_back(play_file(trace, network, hw::NocLoop::closed).errors);
    traces.push_back(json_of(trace, open.result));
    notes += left_out_text(trace);
  }
  boost::json::object summary{{"schema_version", 1}, {"result", evaluate::noc_json(columns)}};
  summary["traces"] = std::move(traces);
  if (folder) write_noc(*folder, columns, summary);
  if (options.json)
    std::cout << boost::json::serialize(summary) << '\n';
  else
    fmt::print("{}", evaluate::noc_table(columns));
  std::fflush(stdout);
  if (!options.quiet && !notes.empty()) say("{}", notes);
  return ExitCode::ok;
}

}  // namespace kbsim::app
