// kbsim topology: a compiled topology file, in numbers and as a drawing.
#include <cstdio>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "kbsim/base/model_version.hpp"
#include "kbsim/base/role.hpp"
#include "kbsim/base/utf8.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/machine_figures.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"
#include "kbsim/report/machine_report.hpp"
#include "kbsim/report/output_file.hpp"

#include "commands.hpp"
#include "config_folders.hpp"
#include "machine_options.hpp"
#include "plugins.hpp"

namespace kbsim::app {
namespace {

namespace po = boost::program_options;

struct TopologyOptions {
  std::string file;
  std::vector<std::string> set;
  std::string out;
  bool json = false;
  bool dot = false;
  bool svg = false;
  bool floorplan = false;
};

po::options_description description(TopologyOptions& o) {
  po::options_description all{"options of kbsim topology"};
  auto add = all.add_options();
  add("topology", po::value(&o.file)->value_name("FILE")->default_value(kUsualTopology),
      "the machine; looked for in the current folder, then among the installed configs");
  add("set", po::value(&o.set)->value_name("KEY=VALUE")->composing(),
      "override one key of the file, e.g. system.sips.count=4; repeatable");
  add("json", po::bool_switch(&o.json), "the summary, every node and every link as JSON");
  add("dot", po::bool_switch(&o.dot), "for Graphviz: kbsim topology FILE --dot | neato -n2 -Tsvg");
  add("svg", po::bool_switch(&o.svg), "a drawing: packages, one cube enlarged, and a legend");
  add("floorplan", po::bool_switch(&o.floorplan),
      "the section cube.floorplan that means the same as the file's pe_layout or plan");
  add("out", po::value(&o.out)->value_name("FILE"), "write there instead of on stdout");
  describe_plugins(all);
  return all;
}

constexpr std::string_view kTopologyExamples = R"(
examples:
  kbsim topology topology.yaml
  kbsim topology topology.yaml --set system.sips.count=8 --svg --out machine.svg
  kbsim topology topology.yaml --json
  kbsim topology topology.yaml --floorplan
)";

// A file name with a form as its suffix must have that form.
void require_form(const TopologyOptions& options) {
  using namespace std::string_view_literals;
  for (const auto& [form, asked] : {std::pair{"svg"sv, options.svg}, std::pair{"dot"sv, options.dot},
                                    std::pair{"json"sv, options.json}}) {
    if (!asked && options.out.ends_with(fmt::format(".{}", form)))
      throw UsageError{
          fmt::format("--out {}: what is written is no {} without --{}", options.out, form, form)};
  }
}

TopologyOptions parse(const Arguments& arguments) {
  TopologyOptions options;
  po::options_description all = description(options);
  const Synopsis synopsis{.usage = "kbsim topology [FILE] [options]",
                          .examples = std::string{kTopologyExamples},
                          .positional = "topology"};
  parse_options(arguments, all, synopsis);
  if (options.json + options.dot + options.svg + options.floorplan > 1)
    throw UsageError{"expected at most one of --json, --dot, --svg and --floorplan"};
  require_form(options);
  return options;
}

std::string rendered(const TopologyOptions& options, const report::MachineReport& machine) {
  if (options.floorplan) return config::floor_plan_yaml(machine.graph.spec().cube);
  if (options.dot) return report::to_dot(machine.graph);
  if (options.svg) return report::to_svg(machine);
  if (!options.json) return report::to_text(machine);
  boost::json::object all{{"schema_version", 1},
                          {"version", KBSIM_VERSION},
                          {"model_version", kModelVersion},
                          {"topology", options.file}};
  for (auto& [key, value] : report::to_json(machine)) all[key] = value;
  return json_as_utf8(boost::json::serialize(all)) + "\n";
}

}  // namespace

ExitCode describe_topology(const Arguments& arguments) {
  const TopologyOptions options = parse(arguments);
  std::vector<std::string> notes;
  const config::LoadRequest request{.file = options.file,
                                    .overrides = options.set,
                                    .catalog = hw::ModelCatalog{},
                                    .folders = config_folders()};
  const auto spec = std::make_shared<const config::MachineSpec>(config::load_machine(request, &notes));
  print_notes(notes);
  const topology::Graph graph = topology::compile(spec);
  const topology::Figures known = evaluate::figures_of(graph);
  if (!options.out.empty()) use_no_colors_on_stdout();  // the text goes to a file
  const std::string text =
      rendered(options, {.graph = graph, .figures = known, .summary = topology::summarize(graph, known)});
  if (options.out.empty()) {
    std::cout << text << std::flush;
  } else {
    report::write_file(options.out, text);
    report::say_written(options.out);
  }
  return ExitCode::ok;
}

}  // namespace kbsim::app
