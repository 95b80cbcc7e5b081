#include "kbsim/evaluate/roofline.hpp"

#include <doctest/doctest.h>

namespace kbsim::evaluate::test {

TEST_CASE("Roofline: the longest ideal time, and latency where the time is over twice that") {
  IdealTimes ideal;
  ideal.at_least(Resource::hbm, 40_ns);
  ideal.at_least(Resource::macs, 30_ns);
  ideal.at_least(Resource::macs, 60_ns);
  ideal.at_least(Resource::macs, 50_ns);
  CHECK(roofline(ideal, 100_ns).resource == Resource::macs);
  CHECK(roofline(ideal, 100_ns).share == doctest::Approx(0.6));
  CHECK(roofline(ideal, 120_ns).resource == Resource::macs);
  CHECK(roofline(ideal, 121_ns).resource == Resource::latency);
  CHECK(roofline(ideal, 121_ns).share == doctest::Approx(60.0 / 121));
}

TEST_CASE("Roofline: nothing served, and no time, are latency with a share of 0") {
  CHECK(roofline({}, 5_ns).resource == Resource::latency);
  CHECK(roofline({}, Time{0}).share == 0.0);
}

TEST_CASE("Roofline: names are read back, and a path's words go with a resource") {
  for (const Resource resource :
       {Resource::hbm, Resource::macs, Resource::noc, Resource::ucie, Resource::latency})
    CHECK(resource_named(to_string(resource)) == resource);
  CHECK(agrees(Resource::hbm, "busy memory port 99 %"));
  CHECK(agrees(Resource::macs, "engine work 87 %"));
  CHECK(agrees(Resource::noc, "busy link 60 %"));
  CHECK(agrees(Resource::latency, "overhead 30 %"));
  CHECK(!agrees(Resource::hbm, "engine work 87 %"));
  CHECK(!agrees(Resource::macs, "a free slot of the peer 40 %"));
  CHECK(!agrees(Resource::latency, "memory port 30 %"));
}

}  // namespace kbsim::evaluate::test
