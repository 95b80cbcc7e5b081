// The default all-reduce on machines of any shape: right values everywhere, times that grow.
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/ccl_point.hpp"

#include "sanitized.hpp"

namespace kbsim::evaluate::test::any_machine_test {

using config::Corner;

namespace {

struct Machine {
  int sips = 2;
  int w = 4;
  int h = 4;
  int pe_per_corner = 2;
  std::vector<Corner> corners = {Corner::NW, Corner::NE, Corner::SW, Corner::SE};
  std::int64_t n_elem = 8;
};

config::AlgorithmSpec algorithm(const std::string& name) {
  static const config::CclSpec ccl = config::load_ccl(KBSIM_SOURCE_DIR "/configs/ccl.yaml");
  return ccl.resolve(name);
}

CclPoint point_on(const Machine& m) {
  CclPoint point{.machine = {}, .algorithm = algorithm("intercube_allreduce"), .size = m.n_elem * 2_B};
  point.machine.system.sips.count = m.sips;
  point.machine.sip.cube_mesh = {.w = m.w, .h = m.h};
  point.machine.cube.pe_layout = {.corners = m.corners, .pe_per_corner = m.pe_per_corner};
  return point;
}

void check_right(const CclPoint& point) {
  CHECK(simulate(point).at("nwrong").to_number<std::int64_t>() == 0);
}

// Time of a run in us; checks that its values are right.
double latency(const Machine& m) {
  const boost::json::object row = simulate(point_on(m));
  CAPTURE(m.sips);
  CAPTURE(m.n_elem);
  CHECK(row.at("count").to_number<std::int64_t>() == m.n_elem);
  CHECK(row.at("nwrong").to_number<std::int64_t>() == 0);
  return row.at("time").to_number<double>();
}

}  // namespace

TEST_CASE("Any machine: every mesh, ring, cube and size gives right values everywhere") {
  for (const int sips : {1, 2, 3, 8}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {3, 2}, {4, 4}, {5, 3}})
      (void)latency({.sips = sips, .w = w, .h = h, .n_elem = 1000});
  }
  for (const std::int64_t n_elem : {1, 8, 1000, 2048}) (void)latency({.n_elem = n_elem});
  (void)latency({.w = 3, .h = 2, .pe_per_corner = 1, .corners = {Corner::NW}});
  (void)latency({.w = 3, .h = 2, .pe_per_corner = 2, .corners = {Corner::SE}});
}

TEST_CASE("Any machine: one slot a ring is enough") {
  CclPoint point = point_on({.sips = 3, .n_elem = 1000});
  point.algorithm.n_slots = 1;
  check_right(point);
}

TEST_CASE("Any machine: a vector larger than a slot goes in messages") {
  CclPoint point = point_on({.n_elem = 2049});
  point.algorithm.slot_size = 64_B;
  check_right(point);
}

TEST_CASE("Any machine: time grows with size and with distance") {
  double last = 0.0;
  for (const std::int64_t n_elem : {1, 8, 64, 500, 1000, 1500, 2048}) {
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

TEST_CASE("Any machine: many packages are checked as exactly as few" *
          doctest::skip(kbsim::test::kSanitized)) {
  (void)latency({.sips = 48, .w = 8, .h = 4, .n_elem = 64});
}

TEST_CASE("Any machine: where rings leave little of the TCM, vectors many times as large fit what is left") {
  for (const char* name : {"ring_all_to_all", "pipelined_ring_allreduce", "intercube_allreduce"}) {
    CAPTURE(name);
    CclPoint point = point_on({.w = 1, .h = 1, .pe_per_corner = 1});
    point.machine.cube.memory.tcm = 1_MiB;
    point.machine.cube.memory.tcm_scheduler = 256_KiB;
    point.algorithm = algorithm(name);
    point.algorithm.slot_size = 64_KiB;
    point.algorithm.n_slots = 2;
    for (const Bytes size : {320_KiB, 1280_KiB}) {
      point.size = size;
      check_right(point);
    }
  }
}

}  // namespace kbsim::evaluate::test::any_machine_test
