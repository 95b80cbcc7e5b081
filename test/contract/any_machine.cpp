#include <fstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

using namespace kbsim::test;

namespace {

struct Machine {
  int sips = 2;
  int w = 4;
  int h = 4;
  int pe_per_corner = 2;
  std::string corners = "[NW, NE, SW, SE]";
  int n_elem = 8;
};

// Runs the main job on it; checks that every row is right; gives the latency in ns.
double latency(const Machine& m, const std::string& more = "") {
  const auto set = [](const std::string& key, const std::string& value) {
    return " --set '" + key + "=" + value + "'";
  };
  const std::string arguments =
      kMainJob + " --json --quiet" + set("system.sips.count", std::to_string(m.sips)) +
      set("sip.cube_mesh.w", std::to_string(m.w)) + set("sip.cube_mesh.h", std::to_string(m.h)) +
      set("cube.pe_layout.pe_per_corner", std::to_string(m.pe_per_corner)) +
      set("cube.pe_layout.corners", m.corners) +
      set("ccl.algorithms.intercube_allreduce.n_elem", std::to_string(m.n_elem)) + more;
  const Outcome outcome = run_kbsim(arguments);
  CAPTURE(arguments);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const auto result = boost::json::parse(outcome.out).at("result");
  CHECK(result.at("rows_ok").to_number<int>() == m.sips * m.w * m.h);
  return result.at("latency_ns").to_number<double>();
}

}  // namespace

TEST_CASE("Any machine: every mesh, ring, cube and size gives right values everywhere") {
  for (const int sips : {1, 2, 3, 8}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {3, 2}, {4, 4}, {5, 3}}) {
      (void)latency({.sips = sips, .w = w, .h = h, .n_elem = 1000});
    }
  }
  for (const int n_elem : {1, 8, 1000, 2048}) (void)latency({.n_elem = n_elem});
  (void)latency({.w = 3, .h = 2, .pe_per_corner = 1, .corners = "[NW]"});
  (void)latency({.w = 3, .h = 2, .pe_per_corner = 2, .corners = "[SE]"});
}

TEST_CASE("Any machine: one slot a ring is enough") {
  (void)latency({.sips = 3, .n_elem = 1000}, " --set ccl.defaults.n_slots=1");
}

TEST_CASE("Any machine: time grows with size and with distance") {
  double last = 0.0;
  for (const int n_elem : {1, 8, 64, 500, 1000, 1500, 2048}) {
    const double now = latency({.n_elem = n_elem});
    CHECK(now >= last);
    last = now;
  }
  last = 0.0;
  for (const int sips : {1, 2, 3, 4, 8}) {
    const double now = latency({.sips = sips});
    CHECK(now > last);
    last = now;
  }
  CHECK(latency({.w = 4, .h = 4}) > latency({.w = 3, .h = 3}));
  CHECK(latency({.w = 3, .h = 3}) > latency({.w = 1, .h = 1}));
}

TEST_CASE(
    "Any machine: a vector larger than a slot goes in messages, an element larger than one is refused") {
  const std::string slot = " --set ccl.defaults.slot_size=";
  const Outcome large =
      run_kbsim(kMainJob + slot + "64 --set ccl.algorithms.intercube_allreduce.n_elem=2049");
  CHECK_MESSAGE(large.exit == 0, large.err);
  const Outcome outcome = run_kbsim(kMainJob + slot + "1");
  CHECK(outcome.exit == 2);
  CHECK_MESSAGE(outcome.err.find("an element of f16 does not fit a slot of 1 B") != std::string::npos,
                outcome.err);
}

TEST_CASE("Any machine: many packages are checked as exactly as few") {
  (void)latency({.sips = 48, .w = 8, .h = 4, .n_elem = 64});
}

TEST_CASE("Any machine: a kernel that uses a queue that isn't installed exits 8 with its place") {
  const Outcome outcome = run_kbsim(kMainJob + " --set ccl.algorithms.intercube_allreduce.topology=none");
  CHECK(outcome.exit == 8);
  CHECK(outcome.err.find("tree_allreduce.cpp:") != std::string::npos);
  CHECK(outcome.err.find("installed: none") != std::string::npos);
}
