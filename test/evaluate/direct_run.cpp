#include "kbsim/evaluate/direct_run.hpp"

#include <doctest/doctest.h>

#include "support.hpp"

using namespace kbsim;
using namespace kbsim::evaluate;
using namespace kbsim::evaluate::test;
using config::Collective;

namespace {

void check_parity(const CclPoint& point) {
  const boost::json::object by_dist = simulate(point);
  const boost::json::object direct = simulate_direct(point);
  CAPTURE(point.algorithm.name);
  CAPTURE(point.size.count());
  CHECK(direct.at("direct_nwrong") == 0);
  CHECK(direct.at("direct_us").to_number<double>() == by_dist.at("time").to_number<double>());
  CHECK(direct.at("direct_kernel_us").to_number<double>() == by_dist.at("kernel_us").to_number<double>());
}

}  // namespace

TEST_CASE("checklist 27: an all-reduce launched without dist gives the same values in the same time") {
  for (const int ranks : {2, 3, 4}) {
    for (const Bytes size : {64_B, 1024_B, 16384_B}) {
      check_parity({.machine = machine(ranks), .algorithm = intercube(), .size = size});
      check_parity({.machine = machine(ranks),
                    .algorithm = over_ring(Collective::all_reduce, "ring_allreduce"),
                    .size = size});
    }
  }
}

TEST_CASE("checklist 27: so do collectives with an output, an operation or a root") {
  check_parity({.machine = machine(3),
                .algorithm = over_ring(Collective::all_gather, "ring_all_gather"),
                .size = 1024_B});
  CclPoint reduce{
      .machine = machine(3), .algorithm = over_ring(Collective::reduce, "ring_reduce"), .size = 1024_B};
  reduce.op = Reduction::max;
  reduce.root = 1;
  check_parity(reduce);
}

TEST_CASE("checklist 27: without values there is a time, and nothing is said to be right") {
  CclPoint point{.machine = machine(2), .algorithm = intercube(), .size = 64_B};
  point.repeats.check = false;
  const boost::json::object direct = simulate_direct(point);
  CHECK(direct.at("direct_nwrong").is_null());
  CHECK(direct.at("direct_us").to_number<double>() > 0.0);
}
