// Descriptions and drawings of machines.
#include "kbsim/report/machine_report.hpp"

#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/machine_figures.hpp"
#include "kbsim/hw/fabric/component.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

namespace kbsim::evaluate::test::machine_report_test {
namespace {

topology::Graph graph_of(const config::Overrides& set) {
  return topology::compile(std::make_shared<const config::MachineSpec>(
      config::load_machine({.file = KBSIM_SOURCE_DIR "/configs/topology.yaml",
                            .overrides = set,
                            .catalog = hw::ModelCatalog{},
                            .folders = {}})));
}

// The cube of a machine of one cube, as YAML.
topology::Graph graph_of_cube(const std::string& cube) {
  const std::string text = "system: {sips: {count: 1}}\nsip: {cube_mesh: {w: 1, h: 1}}\ncube: " + cube + "\n";
  return topology::compile(std::make_shared<const config::MachineSpec>(
      config::parse_machine(text, "test.yaml", {}, hw::ModelCatalog{})));
}

/// The default machine, changed.
struct Described {
  explicit Described(const config::Overrides& set = {}) : graph{graph_of(set)} {}
  explicit Described(topology::Graph made) : graph{std::move(made)} {}

  topology::Graph graph;
  topology::Figures figures = evaluate::figures_of(graph);
  topology::Summary summary = topology::summarize(graph, figures);
  report::MachineReport report{.graph = graph, .figures = figures, .summary = summary};
};

// True if each opened element is closed, in order.
bool balanced(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

struct MarkerSpec {
  static void describe(auto&) {}
};
class Marker final : public hw::Component {
 public:
  Marker(hw::Fabric& fabric, NodeId id, MarkerSpec) : Component{fabric, id} {}
};
KBSIM_COMPONENT("test.marker", NodeKind::part, Marker, MarkerSpec, "stands there");

// Texts are wrapped at 80 columns.
std::string in_one_line(const std::string& text) {
  static const std::regex kBreak{"\n +"};
  return std::regex_replace(text, kBreak, " ");
}

}  // namespace

TEST_CASE("Machine report: components of one's own are in the drawing, the list and the graph") {
  const Described machine{
      {"cube.parts.scrubber.model.impl=test.marker", "cube.parts.meter.model.impl=test.marker",
       "pe.parts.sorter.model.impl=test.marker", "sip.io.parts.probe.model.impl=test.marker"}};
  const std::string svg = report::to_svg(machine.report);
  CHECK(balanced(svg));
  for (const char* box : {">scrubber<", ">meter<"}) CHECK_MESSAGE(count(svg, box) == 1, box);
  for (const char* row : {">cube's scrubber<", ">cube's meter<", ">PE's sorter<", ">IO chiplet's probe<"})
    CHECK_MESSAGE(count(svg, row) == 1, row);
  CHECK(count(report::to_dot(machine.graph), "label=\"scrubber\"") == 32);
}

TEST_CASE(
    "Machine report: a drawing with names has a shape for each of the cube's routers and the machine's "
    "cubes") {
  const Described machine;
  const std::string svg = report::to_svg(machine.report, report::SvgNames::all);
  CHECK(balanced(svg));
  CHECK(count(svg, "data-of=\"@.noc.r") == 16 + 24);  // and their links
  for (const char* name : {"\"sip0.cube3\"", "\"sip1.io\"", "\"sip0|sip1\"", "\"sip0.cube0|sip0.cube4\"",
                           "\"@.pe7\"", "\"@.hbm0\"", "\"host|switch\"", "\"@.noc.r0_0|@.noc.r1_0\""})
    CHECK_MESSAGE(count(svg, std::string{"data-of="} + name) >= 1, name);
  CHECK(count(report::to_svg(machine.report), "data-of") == 0);
}

TEST_CASE("Machine report: the summary names totals, bisections and every class of links") {
  const std::string text = report::to_text(Described{}.report);
  for (const char* words : {"32 cubes, 256 PEs", "HBM 1.5 TiB", "65.5 TB/s raw, 52.4 TB/s effective",
                            "2097.2 TFLOP/s", "packages 256", "crossbar to HBM"}) {
    CHECK_MESSAGE(text.find(words) != std::string::npos, words);
  }
}

TEST_CASE("Machine report: JSON and Graphviz have every node and every link") {
  const Described machine;
  const auto json = report::to_json(machine.report);
  const auto& summary = json.at("summary");
  const std::size_t nodes = json.at("nodes").as_array().size();
  const std::size_t links = json.at("links").as_array().size();
  CHECK(nodes == summary.at("nodes").to_number<std::size_t>());
  CHECK(links == summary.at("links").to_number<std::size_t>());
  CHECK(json.at("nodes").at(1).at("id").as_string() == "switch");
  CHECK(json.at("nodes").at(1).at("overhead_ns").to_number<double>() == 5.0);
  const std::string dot = report::to_dot(machine.graph);
  CHECK(count(dot, "pos=") == nodes);
  CHECK(count(dot, " -> ") == links);
}

TEST_CASE("Machine report: the drawing is well-formed for every machine") {
  const std::vector<config::Overrides> machines{
      {},
      {"system.sips.count=1", "sip.cube_mesh.w=1", "sip.cube_mesh.h=1"},
      {"cube.noc.w=1", "cube.noc.h=1"},
      {"system.sips.count=16"},
      {"system.sips.count=16", "system.sips.topology=torus_2d", "cube.noc.w=3"},
      {"system.sips.count=32", "system.sips.topology=mesh_2d_no_wrap", "system.sips.w=8", "system.sips.h=4",
       "system.sips.link.channels=4"}};
  for (const config::Overrides& set : machines) {
    const std::string svg = report::to_svg(Described{set}.report);
    CHECK(svg.starts_with("<svg "));
    CHECK(balanced(svg));
    CHECK(svg.find("nan") == std::string::npos);
  }
}

TEST_CASE("Machine report: the drawing of a floor plan is well-formed, however large it is") {
  for (const char* cube : {"{noc: {w: 1, h: 12}, floorplan: {pe: {at: [[0, 3]]}}}",
                           "{noc: {w: 2, h: 2, wrap: true}, floorplan: {pe: {at: [[0, 0]]}}}",
                           "{noc: {w: 1, h: 1}, floorplan: {map: [P]}}",
                           "{noc: {w: 32, h: 32}, floorplan: {pe: {grid: {x: [0-31], y: [0-31]}}, "
                           "hbm: {channels: [{at: [[0, 0]]}], channel_bytes: 1GiB}}}"}) {
    CAPTURE(cube);
    const std::string svg = report::to_svg(Described{graph_of_cube(cube)}.report, report::SvgNames::all);
    CHECK(balanced(svg));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

// Rows and columns of three are rings of one way; the memory channel has two ports, and there is no crossbar.
TEST_CASE("Machine report: a floor plan is drawn with its parts where they are") {
  const Described machine{graph_of_cube(
      "{noc: {w: 3, h: 3, wrap: true, links: [north_west]}, floorplan: {pe: {at: [[0, 0], [2, 2]]}, "
      "hbm: {channels: [{at: [[1, 0], [1, 2]]}]}}}")};
  const std::string svg = report::to_svg(machine.report, report::SvgNames::all);
  CHECK(balanced(svg));
  CHECK(count(svg, "data-of=\"@.xbar\"") == 0);
  CHECK(count(svg, "data-of=\"@.hbm0\"") == 2);
  CHECK(count(svg, "data-of=\"@.pe1\"") == 1);
  CHECK(count(svg, "class=\"l-noc one-way\" data-of=\"@.noc.") == 2 * 9);  // three of six rows and columns
  CHECK(count(svg, "data-of=\"@.noc.r0_0|@.noc.r0_2\"") == 1);             // westwards round the ring
  CHECK(count(svg, "data-of=\"@.hbm0|@.noc.r2_1\"") == 1);
  CHECK(count(svg, ">NOC to HBM<") == 1);
  const std::string text = in_one_line(report::to_text(machine.report));
  for (const char* words : {"of rings, one way (north_west)", "1 memory channel with 2 ports", "NOC to HBM"})
    CHECK_MESSAGE(text.find(words) != std::string::npos, words);
}

TEST_CASE("Machine report: places without a router stay empty, and a crossbar remains without channels") {
  const Described machine{
      graph_of_cube("{noc: {w: 4, h: 3}, floorplan: {map: ['P..P', '.##.', 'P..P'], m_cpu: {at: [0, 0]}, "
                    "sram: {at: [3, 0]}}}")};
  const std::string svg = report::to_svg(machine.report, report::SvgNames::all);
  CHECK(balanced(svg));
  CHECK(count(svg, "class=\"router\" data-of=\"@.noc.r1_1\"") == 0);
  CHECK(count(svg, "class=\"router\" data-of=\"@.noc.r1_0\"") == 1);
  CHECK(count(svg, "class=\"l-noc\" data-of=\"@.noc.") == 3 + 3 + 2 + 2);
  CHECK(count(svg, "data-of=\"@.xbar\"") == 1);
  CHECK(count(svg, "data-of=\"@.hbm3\"") == 1);
  const std::string text = in_one_line(report::to_text(machine.report));
  CHECK(text.find("2 places without a router") != std::string::npos);
}

TEST_CASE("Machine report: listed links and switches are drawn, each once") {
  const Described machine{{"system.sips.count=3", "system.sips.topology=links",
                           "system.sips.links=[{a: sw0, b: sip0}, {a: sip1, b: sw0}, {a: sip2, b: sip1}, "
                           "{a: sw1, b: sw0}, {a: sw1, b: sip2}]"}};
  const std::string svg = report::to_svg(machine.report, report::SvgNames::all);
  CHECK(balanced(svg));
  for (const char* once : {"sip0|sw0", "sip1|sw0", "sip2|sw1", "sw1|sw0", "sw0", "sw1"})
    CHECK_MESSAGE(count(svg, std::string{"data-of=\""} + once + "\"") == 1, once);
  CHECK(count(svg, "data-of=\"sip1|sip2\"") + count(svg, "data-of=\"sip2|sip1\"") == 1);
  CHECK(count(svg, "joined by 5 links and 2 switches") == 1);
  CHECK(report::to_text(machine.report).find("3 packages (links, 2 switches)") != std::string::npos);
}

}  // namespace kbsim::evaluate::test::machine_report_test
