// Predictions beside simulations.
#include "kbsim/explain/recheck.hpp"

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"

namespace kbsim::explain::recheck_test {
namespace {

KeyTrial trial(std::optional<Time> predicted, std::optional<std::int64_t> flips,
               std::optional<Time> simulated, bool small = true) {
  KeyTrial made{.key = "a.b_ns", .unit = "ns", .value = 8.0, .to = 8.001, .small = small};
  made.predicted = predicted;
  made.flips = flips;
  made.simulated = simulated;
  if (!simulated) made.refused = "why";
  return made;
}

Explanation of_one_key() {
  Explanation run;
  run.keys.push_back({});
  run.keys.front().key = "a.b_ns";
  run.keys.front().unit = "ns";
  run.keys.front().value = 8.0;
  return run;
}

}  // namespace

TEST_CASE(
    "Recheck: where not all causes were kept nothing is predicted, in "
    "JSON null") {
  std::vector<KeyTrial> trials = trials_of(of_one_key(), nullptr);
  REQUIRE(trials.size() == 4);
  std::vector<std::string> settings;
  simulate(trials, [&](const std::string& setting) {
    settings.push_back(setting);
    return 100_ns;
  });
  CHECK(settings == std::vector<std::string>{"a.b_ns=7.999", "a.b_ns=8.001", "a.b_ns=7.2", "a.b_ns=8.8"});
  CHECK(
      boost::json::serialize(to_json(trials).front()) ==
      R"({"key":"a.b_ns","value":8E0,"to":7.999E0,"predicted_ps":null,"flips":null,"simulated_ps":100000})");
  CHECK_FALSE(noise_of(trials));
  CHECK(to_text(trials, 90_ns).find("+10.000 ns") != std::string::npos);
  CHECK(to_text(trials, 90_ns).find("isn't known") != std::string::npos);
  CHECK(to_text(trials, 90_ns).find("simulated as predicted, to") == std::string::npos);
}

TEST_CASE(
    "Recheck: noise is the greatest difference of small steps that have "
    "both times, or isn't known") {
  CHECK(noise_of({trial(10_ns, 0, 10_ns)}) == 0_ns);
  CHECK(noise_of({trial(10_ns, 0, 9_ns), trial(10_ns, 1, 12_ns), trial(10_ns, 0, 90_ns, false)}) == 2_ns);
  CHECK_FALSE(noise_of({}));
  CHECK_FALSE(noise_of({trial(10_ns, 0, std::nullopt), trial(10_ns, 0, 90_ns, false)}));
  CHECK(to_text({trial(10_ns, 0, std::nullopt)}, 10_ns).find("simulated as predicted, to") ==
        std::string::npos);
  CHECK(to_text({trial(10_ns, 2, 10_ns)}, 10_ns).find("2 orders flip") != std::string::npos);
}

TEST_CASE("Recheck: a check without a run that could run is an error with the reason") {
  CHECK_NOTHROW(require_one_ran({}));
  CHECK_NOTHROW(require_one_ran({trial(10_ns, 0, std::nullopt), trial(10_ns, 0, 10_ns)}));
  CHECK_THROWS_WITH_AS(require_one_ran({trial(10_ns, 0, std::nullopt)}),
                       "--recheck: none of 1 runs could run, the first because: why", UsageError);
}

TEST_CASE(
    "Recheck: an error of a run refuses its trial alone; an interruption "
    "ends them all") {
  std::vector<KeyTrial> trials = trials_of(of_one_key(), nullptr);
  int runs = 0;
  simulate(trials, [&](const std::string&) -> Time {
    if (++runs == 2) throw UsageError{"not so"};
    return 1_ns;
  });
  CHECK(runs == 4);
  CHECK(trials[1].refused == "not so");
  CHECK(trials[2].simulated == 1_ns);
  CHECK_THROWS_AS(simulate(trials, [](const std::string&) -> Time { throw Interrupted{"now"}; }),
                  Interrupted);
}

}  // namespace kbsim::explain::recheck_test
