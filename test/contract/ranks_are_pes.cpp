// Ranks that are PEs, and outputs about their queues, by the command.
#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::ranks_are_pes_test {

using namespace kbsim::test;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_ok(const std::string& options, const std::string& says) {
  const Outcome outcome = run_kbsim(kMainJob + " --quiet " + options);
  CAPTURE(outcome.err);
  CAPTURE(outcome.out);
  CHECK(outcome.exit == 0);
  CHECK(has(outcome.out, " " + says + "\n"));
}

std::string ring_of(int world_size) {
  return "--algorithm ring_allreduce_tcm --set ccl.algorithms.ring_allreduce_tcm.world_size=" +
         std::to_string(world_size);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("checklist 12: rings of PEs, a mesh of 4 and a tree of 7 print that all are OK") {
  check_ok(ring_of(8), "ring_allreduce_tcm (ws=8): 8 OK");
  check_ok(ring_of(16), "ring_allreduce_tcm (ws=16): 16 OK");
  check_ok("--set sip.cube_mesh.w=2 --set sip.cube_mesh.h=2 " + ring_of(32),
           "ring_allreduce_tcm (ws=32): 32 OK");
  check_ok("--algorithm mesh_allreduce_4", "mesh_allreduce_4 (ws=4): 4 OK");
  check_ok("--algorithm tree_allreduce_7", "tree_allreduce_7 (ws=7): 7 OK");
}

TEST_CASE("world_size: ranks are PEs on any number of packages, so the time has no step at that number") {
  std::set<double> times;
  for (const int packages : {1, 2, 4, 8}) {
    const Outcome outcome = run_kbsim(
        "--topology topology.yaml --bench ccl_allreduce --quiet --algorithm mesh_allreduce_4 "
        "--set system.sips.count=" +
        std::to_string(packages));
    CAPTURE(packages);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 0);
    times.insert(std::stod(outcome.out.substr(outcome.out.find("latency ") + 8)));
  }
  CHECK(times.size() == 1);
}

TEST_CASE("checklist 12: hello_send is a ring of PEs, too, in --bench ccl") {
  const Outcome outcome = run_kbsim(
      "--topology topology.yaml --quiet --bench ccl --algorithm hello_send -b 64 -e 64 --json "
      "--set ccl.algorithms.hello_send.world_size=8");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(has(outcome.out, "\"world_size\":8"));
  CHECK(has(outcome.out, "\"nwrong\":0"));
}

TEST_CASE("checklist 13: a plug-in's kernel has keys of its own, read, checked and listed as any") {
  const std::string plugin = "--plugin " KBSIM_BINARY "/contract/plugins/plugin_keyed.so ";
  const auto run = [&](const std::string& keys, const std::string& more) {
    const std::string ccl = written("keyed_ccl.yaml",
                                    "defaults: {algorithm: keyed}\n"
                                    "algorithms:\n"
                                    "  keyed: {kernel: keyed, topology: none" +
                                        keys + "}\n");
    return run_kbsim(kMainJob + " --quiet " + plugin + "--set system.sips.count=1 --ccl " + ccl + more);
  };
  CHECK(run(", kernel_depth: 5", "").exit == 0);
  CHECK(run("", " --set ccl.algorithms.keyed.kernel_depth=5").exit == 0);
  CHECK(has(run("", "").err, "kernel_depth is 5"));
  CHECK(has(run(", kernel_depth: 9", "").err, "found '9', expected an integer from 1 to 8"));
  CHECK(has(run(", kernel_deep: 5", "").err, "algorithms.keyed.kernel_deep: unknown key"));
}

TEST_CASE("checklist 14: the documented entry, root_cube beside topology none, works by the command") {
  const std::string ccl = written("documented_ccl.yaml",
                                  "defaults: {algorithm: intercube_allreduce}\n"
                                  "algorithms:\n"
                                  "  intercube_allreduce:\n"
                                  "    kernel: intercube_allreduce\n"
                                  "    topology: none\n"
                                  "    buffer_kind: tcm\n"
                                  "    n_elem: 8\n"
                                  "    root_cube: 15\n");
  check_ok("--ccl " + ccl, "intercube_allreduce (ws=2): 32 OK");
  const std::string root = "--ccl " + ccl + " --set ccl.algorithms.intercube_allreduce.root_cube=";
  check_ok(root + "5", "intercube_allreduce (ws=2): 32 OK");
  const Outcome refused = run_kbsim(kMainJob + " --dry-run " + root + "16");
  CHECK(refused.exit == 2);
  CHECK_MESSAGE(
      has(refused.err,
          "--set ccl.algorithms.intercube_allreduce.root_cube=16: "
          "algorithms.intercube_allreduce.root_cube: found '16', expected an integer from -1 to 15: "
          "a package has 16 cubes (sip.cube_mesh)"),
      refused.err);
}

TEST_CASE("checklist 21: KERNBENCH_CCL_TRACE is understood beside KBSIM_CCL_TRACE, under every bench") {
  const std::string ours = run_script("KBSIM_CCL_TRACE=1 $KBSIM " + kMainJob + " --quiet").err;
  CHECK(count_of(ours, " send ") > 0);
  CHECK(run_script("KERNBENCH_CCL_TRACE=1 $KBSIM " + kMainJob + " --quiet").err == ours);
  CHECK(run_script("KERNBENCH_CCL_TRACE=0 $KBSIM " + kMainJob + " --quiet").err.empty());
  const std::string sweep =
      "$KBSIM --topology topology.yaml --quiet --bench ccl --algorithm ring_allreduce_tcm -b 64 -e 128 -f 2";
  const std::string traced = run_script("KBSIM_CCL_TRACE=1 " + sweep).err;
  CHECK(count_of(traced, " send ") >= 4);
  CHECK(count_of(traced, " send ") == count_of(traced, " recv "));
  CHECK(run_script("KBSIM_CCL_TRACE=1 " + sweep).err == traced);
}

TEST_CASE("KBSIM_CCL_TRACE: another value than 0 and 1 is refused, of runs and of evaluations") {
  for (const char* name : {"KBSIM_CCL_TRACE", "KERNBENCH_CCL_TRACE"}) {
    for (const char* bench : {"ccl_allreduce", "ccl"}) {
      CAPTURE(bench);
      const Outcome refused =
          run_script(std::string{name} + "=yes $KBSIM --topology topology.yaml --dry-run --bench " + bench);
      CHECK(refused.exit == 2);
      CHECK(has(refused.err, std::string{name} + "=yes in the environment: expected 0 or 1"));
    }
  }
}

TEST_CASE("checklist 19: --dump-queues prints counters and decoded addresses of all queues at the end") {
  const Outcome outcome = run_kbsim(kMainJob + " --quiet --dump-queues " + ring_of(8));
  CHECK(outcome.exit == 0);
  CHECK(std::ranges::count(outcome.err, '\n') == 16);
  CHECK(has(outcome.err, "sip0.cube0.pe0 E: my_head=7 my_tail=0 "));
  CHECK(has(outcome.err, "ring sip0.cube0.pe0 ipcq+0x0 peer sip0.cube0.pe1 W sip0.cube0.pe1 ipcq+0x4000\n"));
}

TEST_CASE("--dump-queues: of a run that a limit ends, too; where no queues are, that is said") {
  const Outcome stopped = run_kbsim(kMainJob + " --dump-queues --stop-at 1000 " + ring_of(8));
  CHECK(stopped.exit == 4);
  CHECK(has(stopped.err, "stopped at 1000 ns"));
  CHECK(has(stopped.err, "sip0.cube0.pe0 E: my_head="));
  CHECK(has(stopped.err, "ring sip0.cube0.pe0 ipcq+0x0 peer sip0.cube0.pe1 W sip0.cube0.pe1 ipcq+0x4000\n"));
  const Outcome none = run_kbsim("--topology topology.yaml --bench gemm_single_pe --quiet --dump-queues");
  CHECK(none.exit == 0);
  CHECK(none.err == "--dump-queues: no queues between PEs are installed\n");
}

TEST_CASE("checklist 17: credit direct makes one slot's ring faster, and the same values") {
  const auto latency = [](const std::string& credit) {
    const Outcome outcome =
        run_kbsim(kMainJob + " --quiet --algorithm ring_allreduce_tcm --set ccl.defaults.n_slots=1 " +
                  "--set ccl.algorithms.ring_allreduce_tcm.n_elem=8192 --set ccl.defaults.credit=" + credit);
    CHECK(outcome.exit == 0);
    return std::stod(outcome.out.substr(outcome.out.find("latency ") + 8));
  };
  CHECK(latency("direct") < latency("fabric"));
}

}  // namespace kbsim::contract::ranks_are_pes_test
