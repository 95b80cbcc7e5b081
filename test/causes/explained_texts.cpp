// Text and JSON of an explanation, from given figures.
#include <map>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "kbsim/config/load.hpp"
#include "kbsim/explain/difference.hpp"
#include "kbsim/explain/finding.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/fabric/model_catalog.hpp"

#include "runs.hpp"

namespace kbsim::test::causes::explained_texts_test {
namespace {

namespace json = boost::json;
using explain::Sides;

Explanation of_100_ns(Derivative key) {
  Explanation one{.of = "the run", .path = {.begin = Time{0}, .end = 100_ns, .segments = {}}};
  one.reasons = {{.name = "overhead", .time = 100_ns, .count = 1}};
  one.keys = {std::move(key)};
  return one;
}

// Ten times 2 ns.
Derivative latency() {
  return {.key = "router.overhead_ns",
          .unit = "ns",
          .value = 2.0,
          .time = 80_ns,
          .count = 10.0,
          .slope_ns = 10.0,
          .elasticity = 0.2,
          .paid = {{1.0, 10}}};
}

// Ten times 256 B at 64 GB/s, so 4 ns each.
Derivative rate() {
  return {.key = "link_bw_gbs",
          .unit = "GB/s",
          .value = 64.0,
          .time = 80_ns,
          .slope_ns = -0.625,
          .elasticity = 0.4,
          .bytes = {{{256, 1.0}, 10}}};
}

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

// The machine of a run, for the names of places in to_json().
class Ran {
 public:
  Ran()
      : session_{config::load_machine({.file = KBSIM_SOURCE_DIR "/configs/topology.yaml",
                                       .overrides = {},
                                       .catalog = catalog_,
                                       .folders = {}}),
                 config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml").resolve("ring_allreduce_tcm"),
                 {.simulation = {.causes = true}, .replay_threads = 1}} {}
  [[nodiscard]] const hw::Machine& machine() { return session_.machine(); }

 private:
  hw::ModelCatalog catalog_;
  host::Session session_;
};

}  // namespace

TEST_CASE("Explanation: 10 % better of a latency is 10 % less, and the saving is reported") {
  const std::string text = to_text(text_of(of_100_ns(latency())), {}, {});
  CHECK(says(text, "  2.00 % less  80.0 %  10 ps a ps, at 2 ns\n"));  // 10 times 0.2 ns of 100 ns
  CHECK(says(text, "what may help: 10 % better router.overhead_ns, 2.0 % less time\n"));
}

TEST_CASE("Explanation: 10 % better of a rate is 10 % more, and the saving is reported") {
  const Time saves = 10 * (4_ns - Bandwidth::gbs(64.0 * 1.1).serialization(256_B));  // of 100 ns
  REQUIRE(saves > 3_ns);
  const std::string text = to_text(text_of(of_100_ns(rate())), {}, {});
  CHECK(says(text, fmt::format("{:5.2f} % less  80.0 %  -0.625 ns a GB/s, at 64 GB/s\n", to_ns(saves))));
  CHECK(
      says(text, fmt::format("what may help: 10 % better link_bw_gbs, {:.1f} % less time\n", to_ns(saves))));
}

TEST_CASE("Explanation: JSON has each figure of a key under its own name, and its range from low to high") {
  Ran ran;
  Explanation one = of_100_ns(latency());
  one.keys[0].sides = Sides{.less_ns = 9.0, .more_ns = 11.0, .from = 1.5, .to = 7.0};
  one.keys.push_back(rate());
  one.keys.back().shared = true;
  one.keys.push_back(latency());
  one.keys.back().sides = Sides{.less_ns = 9.0, .more_ns = 11.0, .from = 1.5};
  const json::object all = to_json(one, ran.machine());
  const json::value expected = json::parse(R"([
    {"key": "router.overhead_ns", "value": 2E0, "unit": "ns", "ps": 80000, "slope_ns": 1E1,
     "elasticity": 2E-1, "count": 1E1, "slope_less_ns": 9E0, "slope_more_ns": 11E0, "range": [15E-1, 7E0]},
    {"key": "link_bw_gbs", "value": 64E0, "unit": "GB/s", "ps": 80000, "slope_ns": -625E-3,
     "elasticity": 4E-1, "bytes_share_times": [[256, 1E0, 10]], "shared": true},
    {"key": "router.overhead_ns", "value": 2E0, "unit": "ns", "ps": 80000, "slope_ns": 1E1,
     "elasticity": 2E-1, "count": 1E1, "slope_less_ns": 9E0, "slope_more_ns": 11E0, "range": [15E-1, null]}
  ])");
  CHECK(json::serialize(all.at("keys")) == json::serialize(expected));
}

TEST_CASE("Explanation: JSON has the times of each share, slack and margin under its own name") {
  Ran ran;
  Explanation one = of_100_ns(latency());
  one.kernel = "ring";
  one.rank = 3;
  one.collective = 2;
  one.path.begin = 7_ns;
  one.path.ties = 5;
  one.waits = {{.name = "a free slot of the peer", .time = 3_ns, .count = 1}};
  one.slacks = {{.place = "sip0", .kind = "NOC", .least = 2_ns, .works = 4}};
  one.op_slacks = {{.op = "pe0:1",
                    .what = "add",
                    .ended = 50_ns,
                    .margin = {.end = 6_ns, .steady = 5_ns},
                    .line = "k.cpp:3"}};
  one.margin = explain::Margin{.end = 9_ns, .steady = 8_ns};
  const json::object all = to_json(one, ran.machine());
  const auto text = [&](const char* key) { return json::serialize(all.at(key)); };
  CHECK(text("begin_ps") == "7000");
  CHECK(text("end_ps") == "100000");
  CHECK(text("length_ps") == "93000");
  CHECK(text("kernel") == R"("ring")");
  CHECK(text("rank") == "3");
  CHECK(text("collective") == "2");
  CHECK(text("ties") == "5");
  CHECK(text("reasons") == R"([{"name":"overhead","ps":100000,"count":1}])");
  CHECK(text("waits") == R"([{"name":"a free slot of the peer","ps":3000,"count":1}])");
  CHECK(text("slack") == R"([{"place":"sip0","kind":"NOC","ps":2000,"works":4}])");
  CHECK(text("op_slack") ==
        R"([{"op":"pe0:1","what":"add","line":"k.cpp:3","end_ps":50000,"ps":6000,"steady_ps":5000}])");
  CHECK(text("own_slack") == R"({"ps":9000,"steady_ps":8000})");
}

// The elasticity is the relative change of the path's length by the relative change of the key.
TEST_CASE("Derivatives: an elasticity is the time of the key's own terms, as a part of the path") {
  const Outcome outcome = run({.overrides = {"system.sips.count=3"}, .elements = 4096});
  for (const Explanation& one : outcome.paths) {
    const double length = to_ns(one.path.length());
    REQUIRE(!one.keys.empty());
    for (const Derivative& key : one.keys) {
      CAPTURE(key.key);
      double ns = 0.0;
      for (const auto& [each, times] : key.paid) ns += static_cast<double>(times) * each * key.value;
      for (const auto& [piece, times] : key.bytes)
        ns += static_cast<double>(piece.first * times) / (key.value * piece.second);
      CHECK(key.elasticity == doctest::Approx(ns / length));
    }
  }
}

TEST_CASE("Difference: a change is in percent of the length that the path had in A") {
  const auto path = [](int ps) {
    return json::object{{"of", "the run"},          {"length_ps", ps},        {"limited_by", "overhead"},
                        {"reasons", json::array{}}, {"waits", json::array{}}, {"places", json::array{}},
                        {"lines", json::array{}},   {"keys", json::array{}},  {"path", json::array{}}};
  };
  const auto text = [&](int was, int is) {
    const auto a = explain::paths_in(json::object{{"paths", json::array{path(was)}}}, "a");
    const auto b = explain::paths_in(json::object{{"paths", json::array{path(is)}}}, "b");
    return to_text(explain::path_changes(a, b));
  };
  CHECK(text(400'000, 500'000) ==
        "critical path of the run: 400 ns in A, 500 ns in B, +100 ns (+25.00 %); limited\n"
        "  by overhead, overhead\n");
  CHECK(says(text(500'000, 400'000), ": 500 ns in A, 400 ns in B, -100 ns (-20.00 %)"));
  CHECK(says(text(100'000, 300'000), "(+200.00 %)"));
}

// Read and write ports that are unlike: each key has the value that it was given.
TEST_CASE("Derivatives: a key on a path has the value that the machine has under its name") {
  const std::map<std::string, double> given{
      {"pe.pe_tcm.read_bw_gbs", 90.0},       {"pe.pe_tcm.write_bw_gbs", 70.0},
      {"cube.xbar_to_hbm_bw_gbs", 200.0},    {"cube.noc.link_bw_gbs", 80.0},
      {"cube.noc.router.overhead_ns", 1.25}, {"sip.ucie.overhead_ns", 6.5},
      {"system.host_link.bw_gbs", 48.0},     {"system.sips.link.bw_gbs", 96.0}};
  Setup setup{.algorithm = "pipelined_ring_allreduce", .elements = 20'000, .over_cubes = false};
  for (const auto& [key, value] : given) setup.overrides.push_back(fmt::format("{}={}", key, value));
  const Outcome outcome = run(setup);
  std::map<std::string, int> seen;
  for (const Explanation& one : outcome.paths) {
    for (const Derivative& key : one.keys) {
      if (!given.contains(key.key)) continue;
      CAPTURE(key.key);
      CHECK(key.value == doctest::Approx(given.at(key.key)));
      ++seen[key.key];
    }
  }
  for (const char* port : {"pe.pe_tcm.read_bw_gbs", "pe.pe_tcm.write_bw_gbs"}) CHECK(seen[port] > 0);
}

}  // namespace kbsim::test::causes::explained_texts_test
