// --profile-self, as a user types it.
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::profile_self_test {

using namespace kbsim::test;

namespace {

boost::json::object json_of_run(const std::string& arguments) {
  const Outcome outcome = run_kbsim(kMainJob + " --json " + arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit == 0);
  return boost::json::parse(outcome.out).as_object();
}

bool has_table(const Outcome& outcome) {
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  return outcome.err.find(" share ") != std::string::npos &&
         outcome.err.find(" samples in ") != std::string::npos;
}

}  // namespace

TEST_CASE("--profile-self: shares that sum to the whole, and the same results") {
  boost::json::object with = json_of_run("--profile-self");
  boost::json::object without = json_of_run("");
  const boost::json::object& profile = with.at("run").at("host").at("self_profile").as_object();
  CHECK(profile.at("samples").to_number<int>() > 0);
  double sum = 0.0;
  for (const boost::json::value& row : profile.at("work").as_array()) {
    CHECK_FALSE(row.at("work").as_string().empty());
    CHECK(row.at("error").to_number<double>() < 1.0);
    sum += row.at("share").to_number<double>();
  }
  CHECK(sum == doctest::Approx(1.0));
  CHECK_FALSE(without.at("run").at("host").as_object().contains("self_profile"));
  for (boost::json::object* run : {&with, &without}) run->at("run").as_object().erase("host");
  CHECK(with == without);
}

TEST_CASE("--profile-self: every command that simulates or computes says where its time went, at its end") {
  CHECK(has_table(run_kbsim(kMainJob + " --profile-self")));
  CHECK(has_table(run_kbsim("--topology topology.yaml --bench ccl -b 1K -e 2K -f 2 --quiet --profile-self")));
  CHECK(has_table(run_kbsim("probe --topology topology.yaml --case pe-local-hbm --profile-self")));
  CHECK(
      has_table(run_kbsim("traffic --topology topology.yaml --scope mesh:4x4 --pattern uniform --load 0.3 "
                          "--packets 2000 --quiet --profile-self")));
  CHECK_FALSE(has_table(run_kbsim(kMainJob)));
}

TEST_CASE("--profile-self: of a run that a limit ends it says where the time went until then") {
  const Outcome outcome = run_kbsim(kMainJob + " --max-events 3000 --profile-self");
  CHECK(outcome.exit == 4);
  CHECK(outcome.err.find(" samples in ") != std::string::npos);
  CHECK(run_kbsim(kMainJob + " --max-events -1 --profile-self").err.find(" samples in ") ==
        std::string::npos);
}

}  // namespace kbsim::contract::profile_self_test
