// --plugin: kernels, benches and components in shared objects.
#include <cstdlib>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"

namespace kbsim::contract::plugin_option_test {

using namespace kbsim::test;

namespace {

std::string plugin(const std::string& name) {
  return KBSIM_BINARY "/contract/plugins/plugin_" + name + ".so";
}

// Checks that kbsim list refuses these shared objects, in one line with all of these texts.
void check_refused(const std::string& files, const std::vector<std::string>& says) {
  const Outcome outcome = run_kbsim("list " + files);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("kbsim: --plugin "));
  for (const std::string& part : says) CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("--plugin: what a shared object registers is known by name, in list and in run") {
  const Outcome outcome = run_kbsim("list --plugin " + plugin("good"));
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("plugged_in               does nothing, from outside\n") != std::string::npos);
  const std::string run = kMainJob + " --dry-run --set ccl.algorithms.intercube_allreduce.kernel=plugged_in";
  CHECK(run_kbsim(run + " --plugin " + plugin("good")).exit == 0);
  CHECK(run_kbsim(run).exit == 2);
}

TEST_CASE("--plugin: any exception of a kernel or host program is its fault, reported with its name") {
  const auto fault = [](const std::string& what) {
    const Outcome outcome = run_kbsim("--topology topology.yaml --plugin " + plugin("throwing") + what);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 8);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  const std::string object = fault(" --bench throws_object");
  CHECK(object.find("process bench throws_object at 0 ns: threw an object of type ") != std::string::npos);
  CHECK(object.find("Oops, which is no std::exception\n") != std::string::npos);
  CHECK(fault(" --bench throws_std").find("process bench throws_std at 0 ns: no such row\n") !=
        std::string::npos);
  const std::string kernel =
      fault(" --bench ccl_allreduce --set ccl.algorithms.intercube_allreduce.kernel=throwing_kernel");
  CHECK(kernel.find("kernel throwing_kernel on sip0.cube0.pe0 at ") != std::string::npos);
  CHECK(kernel.find("threw an object of type int, which is no std::exception") != std::string::npos);
}

TEST_CASE("--kernels: the old name of --plugin") {
  const Outcome outcome = run_kbsim("list --kernels " + plugin("good"));
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("plugged_in") != std::string::npos);
}

TEST_CASE("--plugin: a component is known to every command that builds a machine") {
  const std::string slow = " --set cube.noc.router.impl=slow_router --plugin " + plugin("slow_router");
  CHECK(run_kbsim("list --plugin " + plugin("slow_router")).out.find("slow_router") != std::string::npos);
  CHECK(run_kbsim("topology topology.yaml --dot" + slow).exit == 0);
  CHECK(run_kbsim("traffic --topology topology.yaml --scope mesh:2x2 --load 0.1 --packets 100 --quiet" + slow)
            .exit == 0);
  const auto took = [](const std::string& options) {
    const Outcome outcome = run_kbsim(kMainJob + " --json --quiet" + options);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return boost::json::parse(outcome.out).at("run").at("simulated_ps").to_number<double>();
  };
  CHECK(took(slow) > took(""));
  check_refused("--plugin " + plugin("same_component"),
                {"component model 'builtin.router'", "arbiter 'round_robin'", "is taken"});
}

TEST_CASE("--plugin: a component of one's own goes at a run's end, and may write what it kept") {
  const std::string log = written("slow_router.log", "");
  REQUIRE(::setenv("SLOW_ROUTER_LOG", log.c_str(), 1) == 0);
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --set cube.noc.router.impl=slow_router --plugin " +
                                    plugin("slow_router"));
  ::unsetenv("SLOW_ROUTER_LOG");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(contents(log).find("sip1.cube15.noc.r3_2\n") != std::string::npos);
}

TEST_CASE("--plugin: messages are distinguished in a shared object that hides its symbols, too") {
  const std::string hidden = " --set pe.pe_mmu.impl=hidden_mmu --plugin " + plugin("hidden");
  const Outcome outcome = run_kbsim(kMainJob + hidden);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
}

TEST_CASE("--plugin: one that was built with another version's headers never begins to run") {
  check_refused(
      "--plugin " + plugin("old_headers"),
      {"plugin_old_headers.so", "built with the headers of kbsim 0.0.9", "this is kbsim ", "rebuild it"});
}

TEST_CASE("--plugin: a file that isn't there, isn't a shared object, or has no kernel is refused by name") {
  check_refused("--plugin nowhere.so", {"nowhere.so: no such file"});
  check_refused("--plugin " + written("text.so", "not a shared object"), {"text.so", "can't be loaded"});
  check_refused("--plugin .", {".: is a folder, expected a file"});
  check_refused("--plugin " + plugin("no_kernel"), {"it registers nothing"});
  check_refused("--plugin " + plugin("missing_symbol"), {"needs the symbol is_missing_here"});
}

TEST_CASE("--plugin: what is registered with a null pointer for its function is refused") {
  check_refused("--plugin " + plugin("no_function"), {"its mapper 'no_mapper' and its kernel 'no_kernel' and "
                                                      "its evaluation 'no_evaluation' has no function"});
}

TEST_CASE("--plugin: a name that is taken is refused, and so is a file that is given twice") {
  check_refused("--plugin " + plugin("same_name"), {"the name of its kernel 'intercube_allreduce' is taken"});
  check_refused("--plugin " + plugin("good") + " --plugin " + plugin("good"), {"it is given twice"});
}

TEST_CASE("--plugin: neighbour topologies, mappers and validators of others are algorithms' own") {
  const std::string with = kMainJob + " --plugin " + plugin("wires") + " ";
  const auto set = [](const std::string& key, const std::string& value) {
    return fmt::format("--set ccl.algorithms.intercube_allreduce.{}={} ", key, value);
  };
  CHECK(run_kbsim(with + set("topology", "alone") + set("mapper", "two_of_a_cube") + "--dry-run").exit == 0);
  const Outcome refused = run_kbsim(with + set("validator", "nothing") + "--dry-run");
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("intercube_allreduce needs what nobody has") != std::string::npos);
  check_refused("--plugin " + plugin("same_wires"),
                {"the name of its neighbour topology 'ring_1d' is taken"});
}

TEST_CASE("--buffer-kind: holds for every algorithm that a program may name") {
  const std::string memories = "--topology topology.yaml --bench memories --plugin " + plugin("memories");
  const auto of = [&](const std::string& options) {
    const Outcome outcome = run_kbsim(memories + " --json --quiet " + options);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return boost::json::parse(outcome.out).at("result").as_object();
  };
  const boost::json::object declared = of("");
  CHECK(declared.at("intercube_allreduce") == "tcm");
  CHECK(declared.at("ring_allreduce_hbm") == "hbm");
  for (const auto& [name, kind] : of("--buffer-kind sram")) CHECK_MESSAGE(kind == "sram", name);
}

}  // namespace kbsim::contract::plugin_option_test
