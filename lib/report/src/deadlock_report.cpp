#include "kbsim/report/deadlock_report.hpp"

#include <set>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <range/v3/view/enumerate.hpp>

namespace kbsim::report {
namespace {

namespace views = ranges::views;

boost::json::object to_json(const Waiting& waiting) {
  boost::json::array places;
  for (const Place& at : waiting.at) places.emplace_back(to_string(at));
  return {{"process", waiting.process},
          {"waits_for", waiting.what},
          {"since_ns", to_ns(waiting.since)},
          {"at", std::move(places)}};
}

boost::json::object to_json(const WaitGraph::Node& node) {
  boost::json::array queues;
  for (const WaitGraph::Counters& counters : node.counters) {
    boost::json::object one{{"of", counters.of}};
    for (const auto& [name, value] : counters.values) one[name] = value;
    queues.push_back(std::move(one));
  }
  boost::json::object json{{"name", node.name}, {"waiting", nullptr}, {"queues", std::move(queues)}};
  if (node.waiting) json["waiting"] = to_json(*node.waiting);
  return json;
}

// The text with escapes, to stand between quotes.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return '"' + safe + '"';
}

std::string label(const WaitGraph::Node& node) {
  if (!node.waiting) return node.name;
  const std::string place = node.waiting->at.empty() ? "" : ", " + to_string(node.waiting->at.front());
  return fmt::format("{}: {} since {}{}", node.waiting->process, node.waiting->what,
                     to_string(node.waiting->since), place);
}

}  // namespace

boost::json::object to_json(const DeadlockReport& deadlock) {
  const WaitGraph& graph = deadlock.graph();
  boost::json::array waiting;
  boost::json::array nodes;
  boost::json::array waits;
  boost::json::array cycles;
  for (const Waiting& one : deadlock.waiting()) waiting.push_back(to_json(one));
  for (const WaitGraph::Node& node : graph.nodes) nodes.push_back(to_json(node));
  for (const WaitGraph::Edge& edge : graph.edges) {
    waits.push_back(boost::json::object{
        {"from", graph.nodes[edge.from].name}, {"to", graph.nodes[edge.to].name}, {"why", edge.why}});
  }
  for (const WaitGraph::Unknown& unknown : graph.unknown) {
    boost::json::object wait{{"from", graph.nodes[unknown.from].name}, {"to", nullptr}, {"why", unknown.why}};
    if (!unknown.in.empty()) wait["in"] = unknown.in;
    waits.push_back(std::move(wait));
  }
  for (const auto& edges : find_cycles(graph))
    cycles.push_back(boost::json::array(edges.begin(), edges.end()));
  const boost::json::value first = cycles.empty() ? boost::json::array{} : cycles.front();
  return {{"schema_version", 1},        {"at_ns", to_ns(deadlock.at())}, {"waiting", std::move(waiting)},
          {"nodes", std::move(nodes)},  {"waits", std::move(waits)},     {"cycle", first},
          {"cycles", std::move(cycles)}};
}

std::string to_dot(const WaitGraph& graph) {
  std::set<std::size_t> in_cycles;
  for (const auto& edges : find_cycles(graph)) in_cycles.insert(edges.begin(), edges.end());
  std::string text = "digraph deadlock {\nnode [shape=box];\n";
  for (const WaitGraph::Node& node : graph.nodes) {
    text += fmt::format("{} [label={}{}];\n", quoted(node.name), quoted(label(node)),
                        node.waiting ? "" : ", style=dashed");
  }
  for (const auto& [i, edge] : views::enumerate(graph.edges)) {
    text += fmt::format("{} -> {} [label={}{}];\n", quoted(graph.nodes[edge.from].name),
                        quoted(graph.nodes[edge.to].name), quoted(edge.why),
                        in_cycles.contains(i) ? ", color=red" : "");
  }
  for (const auto& [i, unknown] : views::enumerate(graph.unknown)) {
    text += fmt::format("\"unknown {}\" [label=\"?\", style=dashed];\n{} -> \"unknown {}\" [label={}];\n", i,
                        quoted(graph.nodes[unknown.from].name), i, quoted(to_string(unknown)));
  }
  return text + "}\n";
}

void write_deadlock(const OutputFolder& folder, const DeadlockReport* deadlock) {
  if (deadlock == nullptr) {
    folder.remove("deadlock.json");
    folder.remove("deadlock.dot");
  } else {
    folder.write("deadlock.json", to_json(*deadlock));
    folder.write("deadlock.dot", to_dot(deadlock->graph()));
  }
}

void write_deadlocks(const OutputFolder& folder, const std::vector<NamedDeadlock>& deadlocks) {
  if (deadlocks.empty()) return write_deadlock(folder, nullptr);
  boost::json::array all;
  std::string drawings;
  for (const NamedDeadlock& one : deadlocks) {
    boost::json::object json = to_json(one.report);
    json["simulation"] = one.simulation;
    all.push_back(std::move(json));
    drawings += to_dot(one.report.graph());
  }
  folder.write("deadlock.json", boost::json::object{{"schema_version", 1}, {"deadlocks", std::move(all)}});
  folder.write("deadlock.dot", drawings);
}

}  // namespace kbsim::report
