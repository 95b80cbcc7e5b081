#include "kbsim/report/deadlock.hpp"

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

using namespace kbsim;

namespace {

DeadlockReport circle_of_two() {
  const Waiting a{
      .process = "hello on a", .what = "event recv \"W\"", .since = 5_ns, .at = {{"k.cpp", 12, 0}}};
  const Waiting b{.process = "hello on b", .what = "event recv E", .since = 6_ns, .at = {}};
  WaitGraph graph;
  graph.nodes.push_back({.name = "a", .waiting = a, .counters = {{.of = "a W", .values = {{"my_head", 2}}}}});
  graph.nodes.push_back({.name = "b", .waiting = b, .counters = {}});
  graph.nodes.push_back({.name = "c", .waiting = {}, .counters = {}});
  graph.edges = {{0, 2, "nobody there"}, {0, 1, "never issued"}, {1, 0, "never issued either"}};
  graph.unknown = {{.from = 0, .why = "of whom?"}};
  return {DeadlockError{7_ns, {a, b}}, graph};
}

}  // namespace

TEST_CASE("Deadlock report: the JSON has who waits, the edges, the circle and the counters") {
  CHECK(
      boost::json::serialize(report::to_json(circle_of_two())) ==
      R"({"schema_version":1,"at_ns":7E0,"waiting":[)"
      R"({"process":"hello on a","waits_for":"event recv \"W\"","since_ns":5E0,"at":["k.cpp:12"]},)"
      R"({"process":"hello on b","waits_for":"event recv E","since_ns":6E0,"at":[]}],)"
      R"("nodes":[{"name":"a","waiting":{"process":"hello on a","waits_for":"event recv \"W\"","since_ns":5E0,)"
      R"("at":["k.cpp:12"]},"queues":[{"of":"a W","my_head":2}]},)"
      R"({"name":"b","waiting":{"process":"hello on b","waits_for":"event recv E","since_ns":6E0,"at":[]},"queues":[]},)"
      R"({"name":"c","waiting":null,"queues":[]}],)"
      R"("waits":[{"from":"a","to":"c","why":"nobody there"},{"from":"a","to":"b","why":"never issued"},)"
      R"({"from":"b","to":"a","why":"never issued either"},{"from":"a","to":null,"why":"of whom?"}],"cycle":[1,2]})");
}

TEST_CASE("Deadlock report: the drawing has a node for each, the circle in red, quotes escaped") {
  CHECK(report::to_dot(circle_of_two().graph()) ==
        "digraph deadlock {\nnode [shape=box];\n"
        "\"a\" [label=\"hello on a: event recv \\\"W\\\" since 5 ns, k.cpp:12\"];\n"
        "\"b\" [label=\"hello on b: event recv E since 6 ns\"];\n"
        "\"c\" [label=\"c\", style=dashed];\n"
        "\"a\" -> \"c\" [label=\"nobody there\"];\n"
        "\"a\" -> \"b\" [label=\"never issued\", color=red];\n"
        "\"b\" -> \"a\" [label=\"never issued either\", color=red];\n"
        "\"unknown 0\" [label=\"?\", style=dashed];\n\"a\" -> \"unknown 0\" [label=\"of whom?\"];\n}\n");
}
