// The settings that have an effect on a run.
#include "kbsim/evaluate/settings.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "support.hpp"

namespace kbsim::evaluate::test::settings_test {

using config::Collective;

namespace {

config::Configuration configuration() {
  config::Configuration all;
  all.machine = evaluate::test::machine(4);
  for (config::AlgorithmSpec algorithm :
       {evaluate::test::over_ring(Collective::all_reduce, "ring_allreduce"),
        evaluate::test::over_ring(Collective::all_gather, "ring_all_gather")})
    all.ccl.algorithms[algorithm.name] = algorithm;
  all.ccl.algorithms["ring_all_gather"].n_elem = 77;
  all.ccl.defaults.algorithm = "ring_allreduce";
  return all;
}

// The reason for which a key of the ccl file or the machine is refused; "" if it isn't.
std::string refusal(const Uses& uses, const std::string& key, Chosen chosen = {}) {
  chosen.set = {key + "=1"};
  try {
    require_effect(uses, chosen, configuration());
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

const Uses kOne{.name = "--bench one", .algorithms = Algorithms::one};

}  // namespace

TEST_CASE("require_effect: what a bench replaces is refused with its reason, sections and all") {
  const Uses uses{
      .name = "--bench x",
      .algorithms = Algorithms::none,
      .unused = {{"system.sips", "it runs on one package"}, {"ccl.*.n_elem", "sizes are options"}}};
  CHECK(refusal(uses, "system.sips.count") ==
        "--set system.sips.count=1: system.sips.count: has no effect on --bench x: it runs on one package");
  CHECK(refusal(uses, "ccl.algorithms.ring_allreduce.n_elem").find("sizes are options") != std::string::npos);
  CHECK(refusal(uses, "ccl.defaults.n_slots").find("it runs no collective") != std::string::npos);
  CHECK(refusal(uses, "sip.cube_mesh.w").empty());
}

TEST_CASE("require_effect: what only declared algorithms say, where none of them runs or none is picked") {
  const Uses no_entries{.name = "--bench x", .unused = {{"ccl.algorithms", "only defaults count"}}};
  CHECK(refusal(no_entries, "ccl.algorithms.ring_allreduce.n_slots").find("only defaults count") !=
        std::string::npos);
  CHECK(refusal(no_entries, "ccl.defaults.n_slots").empty());
  CHECK(refusal(kOne, "ccl.algorithms.ring_allreduce.chosen_up_to")
            .find("'ring_allreduce' runs, and none is picked") != std::string::npos);
}

TEST_CASE("require_effect: of one algorithm that runs, others' keys and its own defaults' are refused") {
  CHECK(refusal(kOne, "ccl.algorithms.ring_allreduce.n_slots").empty());
  CHECK(refusal(kOne, "ccl.algorithms.ring_all_gather.n_slots")
            .find("'ring_allreduce' runs, not 'ring_all_gather'") != std::string::npos);
  CHECK(refusal(kOne, "ccl.defaults.n_elem").empty());
  CHECK(refusal(kOne, "ccl.defaults.n_elem", {.algorithm = "ring_all_gather"})
            .find("'ring_all_gather' has its own, ccl.algorithms.ring_all_gather.n_elem") !=
        std::string::npos);
  CHECK(refusal(kOne, "ccl.defaults.poll_ns").find("doesn't poll") != std::string::npos);
}

TEST_CASE("require_effect: a program of one collective runs its algorithms only") {
  const Uses uses{.name = "--bench y", .collective = Collective::all_reduce};
  CHECK(refusal(uses, "ccl.algorithms.ring_allreduce.n_slots").empty());
  CHECK(refusal(uses, "ccl.algorithms.ring_all_gather.n_slots").find("'ring_all_gather' is for all_gather") !=
        std::string::npos);
}

TEST_CASE(
    "require_effect: of algorithms that a bench names, others' keys are refused; the first may be another") {
  const Uses uses{.name = "--bench z", .named = {"ring_allreduce"}};
  CHECK(refusal(uses, "ccl.algorithms.ring_allreduce.n_slots").empty());
  CHECK(refusal(uses, "ccl.algorithms.ring_all_gather.n_slots")
            .find("'ring_allreduce' runs, not 'ring_all_gather'") != std::string::npos);
  const Chosen another{.algorithm = "ring_all_gather"};
  CHECK(refusal(uses, "ccl.algorithms.ring_all_gather.n_slots", another).empty());
  CHECK(refusal(uses, "ccl.algorithms.ring_allreduce.n_slots", another)
            .find("'ring_all_gather' runs, not 'ring_allreduce'") != std::string::npos);
  CHECK(refusal(uses, "ccl.defaults.n_elem").empty());
  CHECK(refusal(uses, "ccl.defaults.n_elem", another).find("'ring_all_gather' has its own") !=
        std::string::npos);
}

TEST_CASE("require_effect: the size of a burst needs pseudo-channels") {
  const auto refused = [](const std::string& impl, std::map<std::string, Scalar> attributes) {
    config::Configuration all = configuration();
    all.machine.cube.hbm_ctrl = {.impl = impl, .attrs = std::move(attributes), .at = {}};
    try {
      require_effect(kOne, {.set = {"cube.hbm_ctrl.burst_bytes=64"}}, all);
      return std::string{};
    } catch (const ConfigError& error) {
      return std::string{error.what()};
    }
  };
  const std::string why = "has no effect on --bench one: there is one pseudo-channel (num_pcs)";
  CHECK(refused("builtin.hbm_ctrl", {}).find(why) != std::string::npos);
  CHECK(refused("builtin.hbm_ctrl", {{"num_pcs", std::int64_t{1}}}).find(why) != std::string::npos);
  CHECK(refused("builtin.hbm_ctrl", {{"num_pcs", std::int64_t{2}}}).empty());
  CHECK(refused("builtin.hbm_banks", {}).empty());
}

TEST_CASE("require_effect: timings of a memory with banks that others of its leave idle") {
  const auto refused = [](const std::string& key, std::map<std::string, Scalar> attributes) {
    config::Configuration all = configuration();
    all.machine.cube.hbm_ctrl = {.impl = "builtin.hbm_banks", .attrs = std::move(attributes), .at = {}};
    try {
      require_effect(kOne, {.set = {"cube.hbm_ctrl." + key + "=1"}}, all);
      return std::string{};
    } catch (const ConfigError& error) {
      return std::string{error.what()};
    }
  };
  const auto says = [&](const std::string& key, const std::map<std::string, Scalar>& attributes,
                        const char* why) {
    CHECK_MESSAGE(refused(key, attributes).find(why) != std::string::npos, key);
  };
  const std::map<std::string, Scalar> by_bank{{"refresh", std::string{"per_bank"}}, {"tck_ns", 1.0}};
  const std::map<std::string, Scalar> never{{"trefi_ns", 0.0}};
  for (const char* key : {"trfc_bank_ns", "trrefd_ns"}) {
    says(key, {}, "all banks are refreshed at once (refresh)");
    CHECK(refused(key, by_bank).empty());
    says(key, never, "nothing is refreshed (trefi_ns)");
  }
  says("trfc_ns", by_bank, "banks are refreshed one by one (refresh)");
  says("attrs.trfc_ns", by_bank, "banks are refreshed one by one (refresh)");
  says("trfc_ns", never, "nothing is refreshed (trefi_ns)");
  CHECK(refused("trfc_ns", {}).empty());
  says("activate_nck", {}, "commands take no time (tck_ns)");
  CHECK(refused("activate_nck", by_bank).empty());
  says("tccd_r_ns", {}, "there is one stack ID (stack_ids)");
  CHECK(refused("tccd_r_ns", {{"stack_ids", std::int64_t{2}}}).empty());
}

TEST_CASE("choose: the algorithm that is chosen becomes the default one") {
  config::Configuration all = configuration();
  choose(kOne, {.algorithm = "ring_all_gather"}, all);
  CHECK(all.ccl.resolve("").name == "ring_all_gather");
  CHECK_THROWS_AS(choose(kOne, {.algorithm = "ring_all_gathr"}, all), UsageError);
}

TEST_CASE("choose: the slots that are chosen are those of all algorithms") {
  config::Configuration all = configuration();
  choose(kOne, {.buffer_kind = config::BufferKind::hbm}, all);
  CHECK(all.ccl.resolve("ring_allreduce").buffer_kind == config::BufferKind::hbm);
  CHECK(all.ccl.resolve("ring_all_gather").buffer_kind == config::BufferKind::hbm);
}

TEST_CASE("choose: a program of one collective keeps its algorithms as they are") {
  config::Configuration all = configuration();
  choose({.name = "--bench x", .collective = Collective::all_gather}, {.algorithm = "ring_all_gather"}, all);
  CHECK(all.ccl.resolve("").name == "ring_allreduce");
}

TEST_CASE("choose: a setting without effect is refused, and nothing applied") {
  config::Configuration all = configuration();
  const Uses none{.name = "--bench x", .algorithms = Algorithms::none};
  CHECK_THROWS_AS(choose(none, {.algorithm = "ring_all_gather"}, all), ConfigError);
  CHECK(all.ccl.resolve("").name == "ring_allreduce");
}

}  // namespace kbsim::evaluate::test::settings_test
