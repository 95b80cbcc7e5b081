#include "kbsim/evaluate/roofline.hpp"

#include <set>
#include <string_view>

#include <doctest/doctest.h>

#include "kbsim/explain/keys.hpp"

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
  CHECK(roofline(ideal, 121_ns).share == doctest::Approx(61.0 / 121));
}

TEST_CASE("Roofline: nothing served is latency alone, and no time has a share of 0") {
  CHECK(roofline({}, 5_ns).resource == Resource::latency);
  CHECK(roofline({}, 5_ns).share == 1.0);
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

TEST_CASE("Roofline: each reason that explain knows goes with one resource") {
  using enum hw::Reason;
  const std::set memory{port, write_port, data_bus, bank, turnaround, refresh, refresh_wait, bank_free};
  const std::set engines{engine, fetch};
  for (std::size_t i = 0; i < hw::kReasons; ++i) {
    const auto reason = static_cast<hw::Reason>(i);
    for (const bool others : {false, true}) {
      const std::string_view name = explain::reason_name({.reason = reason, .others = others});
      CAPTURE(name);
      const bool link = reason == serialization;
      CHECK(agrees(Resource::hbm, name) == memory.contains(reason));
      CHECK(agrees(Resource::macs, name) == engines.contains(reason));
      CHECK(agrees(Resource::noc, name) == link);
      CHECK(agrees(Resource::ucie, name) == link);
      CHECK(agrees(Resource::latency, name) ==
            (!link && !memory.contains(reason) && !engines.contains(reason)));
    }
  }
}

}  // namespace kbsim::evaluate::test
