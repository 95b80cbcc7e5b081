#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kbsim/report/machine_report.hpp"

namespace kbsim::report {
namespace {

using topology::Graph;
using topology::Point;

constexpr double kPointsPerMm = 72.0;

// Nodes at one place of the machine are spread in rows from there; Graphviz counts y upwards.
std::vector<Point> placed(const Graph& graph) {
  constexpr int kColumns = 4;
  constexpr Point kStep{.x = 40.0, .y = 20.0};
  std::map<std::pair<double, double>, int> taken;
  std::vector<Point> result;
  for (const topology::Node& node : graph.nodes()) {
    const int i = taken[{node.pos_mm.x, node.pos_mm.y}]++;
    result.push_back({.x = kPointsPerMm * node.pos_mm.x + kStep.x * (i % kColumns),
                      .y = -kPointsPerMm * node.pos_mm.y - kStep.y * (i / kColumns)});
  }
  return result;
}

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_{graph}, at_{placed(graph)} {}

  std::string write() {
    line("digraph machine {");
    line("node [shape=box, fontsize=7, width=0.5, height=0.22, margin=0.02];");
    line("edge [arrowsize=0.3, color=gray50];");
    nodes_of(-1, -1);
    for (int sip = 0; std::cmp_less(sip, graph_.sips().size()); ++sip) package(sip);
    nodes_of(-1, -1);  // switches between packages
    for (const topology::Link& link : graph_.links()) {
      line(fmt::format("\"{}\" -> \"{}\" [tooltip=\"{} GB/s, {}\"];", graph_.node(link.from).name,
                       graph_.node(link.to).name, link.bandwidth.gbs(), to_string(link.wire)));
    }
    line("}");
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + '\n'; }

  void package(int sip) {
    line(fmt::format("subgraph cluster_sip{0} {{ label=\"sip{0}\";", sip));
    nodes_of(sip, -1);
    for (int cube = 0; cube < graph_.spec().cubes_per_sip(); ++cube) {
      line(fmt::format("subgraph cluster_sip{0}_cube{1} {{ label=\"cube{1}\";", sip, cube));
      nodes_of(sip, cube);
      line("}");
    }
    line("}");
  }

  // Nodes are in structural order: those of one cube, or of one IO chiplet, are neighbours.
  void nodes_of(int sip, int cube) {
    while (next_ < at_.size()) {
      const topology::Node& node = graph_.nodes()[next_];
      if (node.at.sip != sip || node.at.cube != cube) return;
      line(fmt::format("\"{}\" [label=\"{}\", pos=\"{:.1f},{:.1f}!\"];", node.name,
                       node.name.substr(node.name.find_last_of('.') + 1), at_[next_].x, at_[next_].y));
      ++next_;
    }
  }

  const Graph& graph_;
  std::vector<Point> at_;
  std::size_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string to_dot(const Graph& graph) { return Writer{graph}.write(); }

}  // namespace kbsim::report
