// Two explanations compared: rows that got slower come first.
#include "kbsim/explain/difference.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/explain/ideal.hpp"

namespace kbsim::test::causes::difference_test {
namespace {

namespace json = boost::json;
using namespace kbsim::explain;

struct Spot {
  std::string reason;
  std::string place;
  std::string line;
  int ps;
  std::string op = {};
};

json::array shares(const std::vector<Spot>& spots, std::string Spot::* name) {
  json::array all;
  for (const Spot& spot : spots) {
    if (!(spot.*name).empty())
      all.push_back(json::object{{"name", spot.*name}, {"ps", spot.ps}, {"count", 1}});
  }
  return all;
}

// One after the other.
json::object path(const std::string& kernel, const std::vector<Spot>& spots) {
  json::array segments;
  json::array ops;
  int at = 0;
  for (const Spot& spot : spots) {
    json::object segment{
        {"from_ps", at}, {"to_ps", at + spot.ps}, {"reason", spot.reason}, {"place", spot.place}};
    if (!spot.line.empty()) segment["line"] = spot.line;
    if (!spot.op.empty()) ops.push_back(json::object{{"op", spot.op}, {"what", "add"}, {"ps", spot.ps}});
    segments.push_back(std::move(segment));
    at += spot.ps;
  }
  json::object all{{"of", kernel},
                   {"length_ps", at},
                   {"limited_by", "x"},
                   {"reasons", shares(spots, &Spot::reason)},
                   {"waits", json::array{}},
                   {"places", shares(spots, &Spot::place)},
                   {"lines", shares(spots, &Spot::line)},
                   {"keys", json::array{}},
                   {"ops", std::move(ops)},
                   {"path", std::move(segments)}};
  if (!kernel.empty()) {
    all["kernel"] = kernel;
    all["rank"] = 0;
  }
  return all;
}

std::vector<PathRecord> paths(const json::array& all) {
  return paths_in(json::object{{"paths", all}}, "test");
}

const std::vector<Spot> kPlain{{"serialization", "sip0>sip1", "ring.cpp:12", 100},
                               {"engine work", "pe0.pe_math", "ring.cpp:20", 300},
                               {"overhead", "router", "", 50}};

std::vector<Spot> with(std::size_t which, int ps) {
  std::vector<Spot> spots = kPlain;
  spots[which].ps = ps;
  return spots;
}

}  // namespace

TEST_CASE("Difference: a run against itself is empty") {
  const auto a = paths({path("", kPlain), path("ring", kPlain), path("ring", kPlain)});
  CHECK(path_changes(a, a).empty());
  CHECK(to_text(path_changes(a, a)).empty());
  CHECK(share_changes(a[0], a[0], 3).empty());
}

TEST_CASE("Difference: a slow link, and a slower line of a kernel, come first") {
  const auto a = paths({path("", kPlain)});
  const auto link = paths({path("", with(0, 900))});
  const auto by_link = path_changes(a, link);
  REQUIRE(by_link.size() == 1);
  CHECK(by_link[0].spots.at(0).name == "serialization at sip0>sip1, ring.cpp:12");
  CHECK(by_link[0].spots.at(0).change() == Time{800});
  CHECK(by_link[0].places.at(0).name == "sip0>sip1");
  std::vector<Spot> faster = with(1, 700);
  faster[2].ps = 1;
  const auto line = paths({path("", faster)});
  const auto by_line = path_changes(a, line);
  CHECK(by_line.at(0).lines.at(0).name == "ring.cpp:20");
  CHECK(by_line.at(0).spots.front().change() == Time{400});
  CHECK(by_line.at(0).spots.back().change() == Time{-49});
  CHECK(share_changes(a[0], line[0], 1) == "engine work 67 -> 87 %");
}

TEST_CASE("Difference: launches are matched by kernel, rank and number among those") {
  const auto a = paths({path("", kPlain), path("ring", kPlain), path("ring", kPlain)});
  const auto b =
      paths({path("", kPlain), path("copy", kPlain), path("ring", kPlain), path("ring", with(1, 301))});
  const auto found = path_changes(a, b);
  REQUIRE(found.size() == 2);
  CHECK(found[0].of == "launch 2 of ring on rank 0");
  CHECK(found[0].spots.at(0).change() == Time{1});
  CHECK(found[1].of == "launch 1 of copy on rank 0");
  CHECK(found[1].was == nullptr);
}

TEST_CASE("Difference: operations are matched by their ids, if both runs have them") {
  const std::vector<Spot> was{{"engine work", "math", "", 10, "pe0:3"},
                              {"engine work", "math", "", 20, "pe0:7"}};
  const std::vector<Spot> is{{"engine work", "math", "", 15, "pe0:7"},
                             {"engine work", "math", "", 15, "pe0:3"}};
  const auto a = paths({path("", was)});
  const auto b = paths({path("", is)});
  const auto found = path_changes(a, b);
  REQUIRE(found.size() == 1);
  CHECK(found[0].spots.empty());
  REQUIRE(found[0].ops.size() == 2);
  CHECK(found[0].ops[0].name == "pe0:3 add");
  CHECK(found[0].ops[0].change() == Time{5});
  CHECK(found[0].ops[1].change() == Time{-5});
  CHECK(to_text(found).find("by operation of the op log") != std::string::npos);
  const auto silent = paths({path("", {{"engine work", "math", "", 30}})});
  CHECK(path_changes(a, silent).empty());
  CHECK(path_changes(a, a).empty());
}

TEST_CASE("Difference: collectives are matched by kernel and number, before launches") {
  const auto collective = [](const std::vector<Spot>& spots) {
    json::object one = path("ring", spots);
    one["rank"] = kAllRanks;
    return one;
  };
  const auto a = paths({path("", kPlain), path("ring", kPlain), collective(kPlain), collective(kPlain)});
  const auto b = paths(
      {path("", with(0, 101)), path("ring", with(0, 101)), collective(kPlain), collective(with(0, 101))});
  const auto found = path_changes(a, b);
  REQUIRE(found.size() == 3);
  CHECK(found[0].of == "the run");
  CHECK(found[1].of == "collective 2 of ring");
  CHECK(found[2].of == "launch 1 of ring on rank 0");
}

TEST_CASE("Difference: what isn't an explanation is refused") {
  for (const char* text : {"[]", "{}", R"({"paths": [{}]})", R"({"paths": [{"of": 3}]})", "7"})
    CHECK_THROWS_AS((void)paths_in(json::parse(text), "a file"), UsageError);
}

TEST_CASE("Ideal: each bound names keys of the machine, and slots their own") {
  const std::map<std::string, std::string> keys{{"cube.noc.link_bw_gbs", "256"},
                                                {"cube.noc.router.overhead_ns", "1"},
                                                {"pe.pe_gemm.macs_per_ns", "4096"},
                                                {"cube.xbar_to_hbm_bw_gbs", "256"},
                                                {"cube.noc.w", "4"}};
  const std::vector<Ideal> all = ideals_of(keys, "ccl.algorithms.ring.n_slots");
  REQUIRE(all.size() == 5);
  CHECK(all[0].keys.at(0).key == "cube.noc.link_bw_gbs");
  CHECK(all[1].name == "zero overheads");
  CHECK(all[1].keys.at(0).values.front() == "0");
  CHECK(all[4].keys.at(0).key == "ccl.algorithms.ring.n_slots");
  CHECK(ideals_of(keys, "").size() == 4);
}

}  // namespace kbsim::test::causes::difference_test
