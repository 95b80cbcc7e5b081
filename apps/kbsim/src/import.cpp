// kbsim import: which files of others can be given, and what is in one.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/say.hpp"
#include "kbsim/inputs/chakra/workload.hpp"
#include "kbsim/inputs/layers/layers.hpp"
#include "kbsim/inputs/logs/measurements.hpp"

#include "commands.hpp"
#include "parse_options.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;
namespace json = boost::json;
namespace fs = std::filesystem;

struct Format {
  const char* name;
  const char* example;
};

constexpr std::array<Format, 8> kFormats{
    {{"collective plans: MSCCL XML and MSCCL++ JSON (docs/collective-plans.md)", "kbsim ccl import plan.xml"},
     {"recorded traffic: NoC traces as JSON, networks as YAML (docs/noc-traces.md)",
      "kbsim traffic --topology wormhole.yaml --trace events.json"},
     {"the constants of a network, fitted to such traces", "kbsim fit --trace traces"},
     {"measured collectives: logs of nccl-tests and rccl-tests",
      "kbsim correlate --results mine/results.csv --reference ring_allreduce_tcm=all_reduce_perf.log"},
     {"the same as CSV or JSON: size, time, and what else a row says",
      "kbsim --bench ccl --algorithm ring_allreduce_tcm --reference measured.csv"},
     {"execution traces: Chakra, a folder of NAME.RANK.et",
      "kbsim --bench chakra --workload traces --set system.sips.count=4"},
     {"layer lists: CSV of SCALE-Sim, products and convolutions", "kbsim --bench gemm --layers resnet.csv"},
     {"model configurations: config.json of a model hub",
      "kbsim --bench tp_transformer_block --model config.json"}}};

std::string formats_text() {
  std::string text = "\nfiles of others, each with an example:\n";
  for (const Format& format : kFormats) text += fmt::format("  {}\n    {}\n", format.name, format.example);
  return text;
}

json::object about_chakra(const std::vector<fs::path>& files) {
  std::vector<inputs::chakra::Trace> traces;
  for (const fs::path& file : files) traces.push_back(inputs::chakra::read_trace(file));
  const inputs::chakra::Workload work = inputs::chakra::workload_of(traces);
  std::int64_t bytes = 0;
  for (const auto& what : work.communications) bytes += what.bytes;
  return {{"format", "Chakra execution traces"},
          {"ranks", work.ranks},
          {"nodes", work.items.size()},
          {"dependencies", work.dependencies},
          {"communications", work.communications.size()},
          {"bytes", bytes}};
}

json::object about_trace(const fs::path& file) {
  const inputs::chakra::Trace trace = inputs::chakra::read_trace(file);
  std::size_t dependencies = 0;
  std::int64_t bytes = 0;
  for (const inputs::chakra::Node& node : trace.nodes) {
    dependencies += node.control_deps.size() + node.data_deps.size();
    bytes += std::max<std::int64_t>(0, inputs::chakra::meaning_of(node).comm_size.value_or(0));
  }
  return {{"format", "Chakra execution trace of one rank"},
          {"nodes", trace.nodes.size()},
          {"dependencies", dependencies},
          {"bytes", bytes}};
}

json::object about_layers(const inputs::Text& text) {
  const std::vector<inputs::Layer> layers = inputs::read_layers(text);
  double macs = 0.0;
  double elements = 0.0;
  for (const inputs::Layer& layer : layers) {
    macs += static_cast<double>(layer.macs());
    elements += static_cast<double>(layer.elements());
  }
  return {{"format", "layers of SCALE-Sim"},
          {"layers", layers.size()},
          {"convolutions",
           std::ranges::count_if(layers, [](const auto& layer) { return layer.convolution.has_value(); })},
          {"macs", macs},
          {"bytes", 2.0 * elements}};
}

json::object about_measurements(const inputs::Text& text) {
  const inputs::Measurements found = inputs::read_measurements(text);
  for (const char* column : {"size", "time"}) {
    if (std::ranges::find(found.columns, column) == found.columns.end())
      throw UsageError{fmt::format("no column '{}'", column)};
  }
  for (const std::string& row : found.skipped) say("{}\n", row);
  return {{"format", "measured times by size"},
          {"rows", found.rows.size()},
          {"rows_skipped", found.skipped.size()},
          {"rows_without_bytes", found.empty}};
}

// What begins like XML, or is JSON without rows of sizes and times, is a plan, recorded traffic or a model.
[[noreturn]] void refuse_others(const inputs::Text& text, const std::string& why) {
  throw UsageError{
      fmt::format("{}: {}. It is none of the files that kbsim import describes; collective plans: "
                  "kbsim ccl import FILE, recorded traffic: kbsim traffic --trace FILE, models: "
                  "kbsim --bench tp_transformer_block --model FILE --dry-run",
                  text.name(), why)};
}

json::object about_text(const inputs::Text& text) {
  const std::size_t first = text.content().find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text.content()[first] == '<') refuse_others(text, "this is XML");
  std::string why;
  try {
    return about_layers(text);
  } catch (const Error& error) {
    why = error.what();
  }
  try {
    return about_measurements(text);
  } catch (const Error& error) {
    refuse_others(text, fmt::format("as layers: {}; as measured times: {}", why, error.what()));
  }
}

json::object about(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return about_chakra(inputs::chakra::trace_files(file));
  if (file.extension() == ".et") return about_trace(file);
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  return about_text(inputs::Text::read(file, kMost));
}

}  // namespace

ExitCode import_file(const Arguments& arguments) {
  std::string file;
  bool as_json = false;
  po::options_description all{"options of kbsim import"};
  auto add = all.add_options();
  add("file", po::value(&file)->value_name("FILE")->required(),
      "a file, or a folder of execution traces, of others");
  add("json", po::bool_switch(&as_json), "print what is in it as JSON");
  parse_options(arguments, all,
                {.usage = "kbsim import FILE [--json]", .examples = formats_text(), .positional = "file"});
  const json::object found = about(file);
  if (as_json) {
    std::cout << json::serialize(found) << '\n';
    return ExitCode::ok;
  }
  fmt::print(" {}: {}\n", file, found.at("format").as_string().c_str());
  for (const auto& member : found) {
    if (member.key() != "format")
      fmt::print("   {:<20} {}\n", std::string{member.key()}, json::serialize(member.value()));
  }
  (void)std::fflush(stdout);
  return ExitCode::ok;
}

}  // namespace kbsim::app
