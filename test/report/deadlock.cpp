#include <filesystem>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "kbsim/report/deadlock_report.hpp"

#include "files.hpp"

using namespace kbsim;
using kbsim::test::contents;
using kbsim::test::fresh_place;

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

Waiting waiting(const std::string& name) {
  return {.process = name, .what = "event e", .since = 5_ns, .at = {{"k.cpp", 12, 0}}};
}

// Processes that wait for each other along edges; a node beyond the names runs nothing.
DeadlockReport report_of(const std::vector<std::string>& names,
                         const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  WaitGraph graph;
  std::vector<Waiting> all;
  for (const std::string& name : names) {
    all.push_back(waiting(name));
    graph.nodes.push_back({.name = name, .waiting = all.back(), .counters = {}});
  }
  graph.nodes.push_back(
      {.name = "nobody", .waiting = {}, .counters = {{.of = "n", .values = {{"head", 1}}}}});
  for (const auto& [from, to] : edges)
    graph.edges.push_back({from, to, graph.nodes[from].name + " <- " + graph.nodes[to].name});
  return {DeadlockError{7_ns, all}, graph};
}

std::string line_of(const std::string& name) {
  return "\n  " + name + " waits for event e since 5 ns at k.cpp:12";
}

}  // namespace

TEST_CASE("Deadlock text: each cycle by itself, then how many wait besides; verbose has all") {
  const DeadlockReport report =
      report_of({"a", "b", "c", "d", "tail"}, {{0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, 0}});
  CHECK(report::to_text(report, false) ==
        "deadlock at 7 ns: nothing is left to happen, and 5 processes wait"
        "\ncycle 1 of 2:\n  a <- b\n  b <- a" +
            line_of("a") + line_of("b") + "\ncycle 2 of 2:\n  c <- d\n  d <- c" + line_of("c") +
            line_of("d") + "\n1 more waits: --verbose shows it and the queues");
  CHECK(report::to_text(report, true) == report.what());
  CHECK(std::string{report.what()} ==
        "deadlock at 7 ns: nothing is left to happen, and 5 processes wait"
        "\ncycle 1 of 2:\n  a <- b\n  b <- a\ncycle 2 of 2:\n  c <- d\n  d <- c\nprocesses:" +
            line_of("a") + line_of("b") + line_of("c") + line_of("d") + line_of("tail") +
            "\nother waits:\n  tail <- a\nqueues:\n  n: head 1");
}

TEST_CASE("Deadlock text: without a cycle, those that wait for what never comes") {
  CHECK(report::to_text(report_of({"a", "b", "c"}, {{0, 1}, {1, 3}}), false) ==
        "deadlock at 7 ns: nothing is left to happen, and 3 processes wait"
        "\nno cycle; these wait for what never comes:\n  b <- nobody" +
            line_of("b") + line_of("c") + "\n1 more waits: --verbose shows it and the queues");
  CHECK(report::to_text(report_of({"a"}, {}), false) ==
        "deadlock at 7 ns: nothing is left to happen, and 1 process waits"
        "\nno cycle; these wait for what never comes:" +
            line_of("a") + "\n--verbose shows the queues");
}

TEST_CASE("Deadlock text: host programs are reported by the lines of their calls, each line once") {
  WaitGraph graph;
  std::vector<Waiting> all;
  for (const auto& [name, line] : {std::pair{"rank 0", 3}, {"rank 1", 3}, {"rank 2", 9}, {"work", 12}}) {
    all.push_back({.process = name, .what = "event e", .since = 5_ns, .at = {{"h.cpp", line, 0}}});
    graph.nodes.push_back(
        {.name = name, .waiting = all.back(), .counters = {}, .calls = std::string_view{name} != "work"});
  }
  graph.nodes.push_back({.name = "nobody", .waiting = {}, .counters = {}});
  graph.edges = {{0, 3, "r0"}, {1, 3, "r1"}, {2, 3, "r2"}, {3, 4, "work <- nobody"}};
  CHECK(report::to_text({DeadlockError{7_ns, all}, graph}, false) ==
        "deadlock at 7 ns: nothing is left to happen, and 4 processes wait"
        "\nno cycle; these wait for what never comes:\n  work <- nobody"
        "\n  work waits for event e since 5 ns at h.cpp:12"
        "\nhost programs:\n  rank 0 waits for event e since 5 ns at h.cpp:3; 1 more there"
        "\n  rank 2 waits for event e since 5 ns at h.cpp:9"
        "\n--verbose shows the queues");
}

TEST_CASE("Deadlock text: of many cycles the first ten, of a long one the first twenty") {
  std::vector<std::string> names;
  std::vector<std::pair<std::size_t, std::size_t>> loops;
  std::vector<std::pair<std::size_t, std::size_t>> ring;
  for (std::size_t i = 0; i < 24; ++i) {
    names.push_back("p" + std::to_string(i));
    loops.emplace_back(i, i);
    ring.emplace_back(i, (i + 1) % 24);
  }
  const std::string many = report::to_text(report_of(names, loops), false);
  CHECK(many.find("\ncycle 10 of 24:\n  p9 <- p9") != std::string::npos);
  CHECK(many.find("cycle 11") == std::string::npos);
  CHECK(many.ends_with("\nand 14 more cycles\n14 more wait: --verbose shows them and the queues"));
  const std::string whole = report::to_text(report_of(names, ring), false);
  CHECK(whole.find("\n  p19 <- p20\n  and 4 more\n  p0 waits for") != std::string::npos);
}

TEST_CASE("Deadlock files: of one, of several, and none of an earlier run") {
  const std::filesystem::path place = fresh_place("deadlock");
  const report::OutputFolder there{place};
  const DeadlockReport report = circle_of_two();
  report::write_deadlock(there, &report);
  CHECK(boost::json::parse(contents(place / "deadlock.json")) == report::to_json(report));
  report::write_deadlocks(there, {{"1 KiB", report}, {"4 KiB", report}});
  const auto json = boost::json::parse(contents(place / "deadlock.json")).as_object();
  const auto& all = json.at("deadlocks").as_array();
  REQUIRE(all.size() == 2);
  CHECK(all[1].at("simulation") == "4 KiB");
  CHECK(all[0].at("cycles") == boost::json::parse("[[1,2]]"));
  CHECK(contents(place / "deadlock.dot") == report::to_dot(report.graph()) + report::to_dot(report.graph()));
  report::write_deadlocks(there, {});
  CHECK(!std::filesystem::exists(place / "deadlock.json"));
  CHECK(!std::filesystem::exists(place / "deadlock.dot"));
}

TEST_CASE("Deadlock report: the JSON has the waits, the edges, the circle and the counters") {
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
      R"({"from":"b","to":"a","why":"never issued either"},{"from":"a","to":null,"why":"of whom?"}],"cycle":[1,2],"cycles":[[1,2]]})");
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
