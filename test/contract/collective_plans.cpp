// kbsim ccl: plans written, read and refused by the command.
#include <filesystem>
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "kbsim/inputs/msccl/plan_file.hpp"
#include "kbsim/inputs/msccl/xml.hpp"

#include "command.hpp"

namespace kbsim::contract::collective_plans_test {

using namespace kbsim::test;

TEST_CASE("kbsim ccl: a plan that is exported is imported and right") {
  const std::string file = written("ring_plan.xml", "");
  REQUIRE(run_kbsim("ccl export ring_all_gather --ranks 2 --out " + file).exit == 0);
  const auto described = run_kbsim("ccl import " + file);
  CHECK(described.exit == 0);
  CHECK(described.out.find("checked: every chunk") != std::string::npos);
}

TEST_CASE("kbsim ccl: an algorithm with several queues is exported, and read back equal") {
  for (const std::string name : {"bidirectional_ring_allreduce", "mesh_allreduce", "tree_allreduce",
                                 "torus_allreduce", "hierarchical_allreduce"}) {
    CAPTURE(name);
    const std::string file = written(name + ".xml", "");
    REQUIRE(run_kbsim("ccl export " + name + " --ranks 4 --out " + file).exit == 0);
    const ccl::Plan plan = inputs::read_plan(file);
    CHECK(inputs::parse_msccl({"again", inputs::to_msccl(plan)}).same_steps(plan));
    CHECK(run_kbsim("ccl import " + file).exit == 0);
  }
}

TEST_CASE(
    "kbsim ccl: an algorithm over several PEs of a package is a custom plan, which runs with right values") {
  const std::string file = written("vectors.xml", "");
  REQUIRE(run_kbsim("ccl export hierarchical_allreduce --ranks 4 --out " + file).exit == 0);
  const Outcome described = run_kbsim("ccl import " + file);
  CHECK(described.out.find("chunk 0 of rank 0's output: chunk 0 of rank 0 + chunk 4 of rank 0 + ") !=
        std::string::npos);
  CHECK(described.out.find("chunk 28 of rank 0 + 24 more\n") != std::string::npos);
  const Outcome ran = run_kbsim(
      "--topology topology.yaml --set system.sips.topology=full --set system.sips.count=4 "
      "--bench ccl --algorithm " +
      file + " -b 16K -e 16K");
  CHECK(ran.exit == 0);
  CHECK(ran.out.find("# Out of bounds values : 0 OK") != std::string::npos);
}

TEST_CASE("kbsim ccl: plans of other shapes run with right values") {
  const std::filesystem::path plans = std::filesystem::path{KBSIM_SOURCE_DIR} / "test/inputs/plans";
  for (const auto& entry : std::filesystem::directory_iterator{plans}) {
    const std::string file = entry.path().string();
    const auto described = boost::json::parse(run_kbsim("ccl import " + file + " --json").out).as_object();
    const auto number = [&](const char* key) { return std::to_string(described.at(key).as_int64()); };
    const Outcome ran =
        run_kbsim("--topology topology.yaml --set system.sips.topology=full --set system.sips.count=" +
                  number("ranks") + " --set ccl.defaults.n_slots=" + number("least_slots") +
                  " --bench ccl --algorithm " + file + " -b 1000 -e 1000");
    CAPTURE(file);
    CAPTURE(ran.err);
    CHECK(ran.exit == 0);
  }
}

TEST_CASE("kbsim solve, whatif: slots of a plan are those of the ccl file's defaults") {
  const std::string plan = std::string{KBSIM_SOURCE_DIR} + "/test/inputs/plans/allgather_ring_in1.xml";
  const std::string run = " --bench ccl --algorithm " + plan +
                          " -b 6K -e 6K -n 1 -w 0 -c 0 --quiet --json -- --set system.sips.count=3 "
                          "--set system.sips.topology=full";
  const Outcome solved = run_kbsim("solve --what slots" + run);
  REQUIRE_MESSAGE(solved.exit == 0, solved.err);
  const auto answer = boost::json::parse(solved.out).as_object();
  CHECK(answer.at("key") == "ccl.defaults.n_slots");
  CHECK(answer.at("fewest") == 2);  // with one each rank sends into its ring, and none lets a tile go
  const Outcome ideal = run_kbsim("whatif --what ideal" + run);
  REQUIRE_MESSAGE(ideal.exit == 0, ideal.err);
  CHECK(ideal.out.find("infinite slots") != std::string::npos);
  CHECK(ideal.out.find("all of them") != std::string::npos);
}

TEST_CASE("kbsim ccl: a plan of MSCCL++ is described, and one that needs a switch is refused by name") {
  const std::string plans = std::string{KBSIM_SOURCE_DIR} + "/test/inputs/mscclpp/";
  CHECK(run_kbsim("ccl import " + plans + "puts.json").exit == 0);
  const auto refused =
      run_kbsim("ccl import " + written("switch.json", R"({"collective": "allreduce", "gpus": [
    {"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0,
     "threadblocks": [{"id": 0, "ops": [{"name": "glres", "channel_type": "switch"}]}]}]})"));
  CHECK(refused.exit == 5);
  CHECK(refused.err.find("'glres' (rank 0, thread block 0) needs a switch") != std::string::npos);
}

TEST_CASE("A custom plan is called custom where options have no effect on it") {
  const std::string run =
      "--bench ccl --set system.sips.count=3 --set system.sips.topology=full --algorithm " KBSIM_SOURCE_DIR
      "/test/inputs/plans/custom_next.xml ";
  const Outcome root = run_kbsim(run + "--root 1");
  CHECK(root.exit == 2);
  CHECK(root.err == "kbsim: --root has no effect: custom has no root\n");
  const Outcome op = run_kbsim(run + "-o max");
  CHECK(op.exit == 2);
  CHECK(op.err == "kbsim: --op has no effect: custom plans add\n");
  const Outcome bench = run_kbsim(
      "--bench ccl_allreduce --set system.sips.count=3 --set system.sips.topology=full "
      "--algorithm " KBSIM_SOURCE_DIR "/test/inputs/plans/custom_next.xml");
  CHECK(bench.exit == 2);
  CHECK(bench.err.find("is for custom; for any collective: --bench ccl") != std::string::npos);
  CHECK(run_script("$KBSIM " + run +
                   "-b 1K -e 1K --trace custom.json && grep -q '\"Collective name\":\"custom\"' "
                   "custom.json")
            .exit == 0);
}

}  // namespace kbsim::contract::collective_plans_test
