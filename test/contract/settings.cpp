// A setting has an effect or is refused; --dry-run refuses what a run refuses; a run can be repeated.
#include <filesystem>
#include <fstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::settings_test {

using namespace kbsim::test;

namespace {

const std::string kTopology = "--topology topology.yaml ";
const std::string kSmall = "--set sip.cube_mesh.w=2 --set sip.cube_mesh.h=2 ";

void refuses(const std::string& arguments, const std::string& says) {
  const Outcome outcome = run_kbsim(arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(says) != std::string::npos);
}

// In a run and before it.
void refuses_both(const std::string& arguments, const std::string& says) {
  refuses(arguments, says);
  refuses(arguments + " --dry-run", says);
}

std::string folder(const std::string& name) {
  const std::string path = written(name, "") + ".d";
  std::filesystem::remove_all(path);
  return path;
}

}  // namespace

TEST_CASE("Settings: a key that an evaluation replaces is refused") {
  const std::string ccl = kTopology + "--bench milestone-1h-ccl ";
  refuses_both(ccl + "--set system.sips.count=16",
               "--set system.sips.count=16: system.sips.count: has no effect on --bench milestone-1h-ccl: it "
               "runs on 2 packages in a ring, 4 in a torus and 4 in a mesh\n");
  refuses(ccl + "--set 'system={sips: {topology: torus_2d}}'", "system.sips.topology: has no effect");
  refuses(ccl + "--set ccl.defaults.n_elem=16", "it runs vectors of 64 B to 16 KiB");
  refuses(ccl + "--set ccl.algorithms.mesh_allreduce.n_elem=16", "it runs vectors of 64 B to 16 KiB");
  refuses(ccl + "--set ccl.defaults.buffer_kind=hbm", "--buffer-kind takes one");
  refuses(ccl + "--set ccl.defaults.algorithm=mesh_allreduce", "it runs every all-reduce");
  refuses(ccl + "--set ccl.algorithms.ring_all_gather.n_slots=2", "'ring_all_gather' is for all_gather");
  refuses_both(ccl + "--algorithm mesh_allreduce", "no --algorithm");
  refuses(kTopology + "--bench milestone-1h-gemm --set system.sips.count=4", "it runs on one cube alone");
  refuses(kTopology + "--bench milestone-1h-gemm --set sip.cube_mesh.w=4", "it runs on one cube alone");
  refuses(kTopology + "--bench ccl --set ccl.defaults.n_elem=4", "-b to -e say how large tensors are");
}

TEST_CASE("Settings: a bench without collectives has no use for algorithms") {
  for (const char* bench : {"gemm_single_pe", "qkv_gemm", "va_offset_verify", "milestone-1h-gemm"}) {
    const std::string run = kTopology + "--bench " + bench + " ";
    for (const char* setting : {"--algorithm mesh_allreduce", "--buffer-kind hbm", "--ccl ccl.yaml",
                                "--set ccl.defaults.n_slots=2"})
      refuses(run + setting, std::string{"has no effect on --bench "} + bench + ": it runs no collective\n");
  }
}

TEST_CASE("Settings: a default for which the algorithm has a value of its own is refused") {
  const std::string own = "--topology topology.yaml --bench ccl_allreduce --algorithm ring_allreduce_hbm ";
  refuses(own + "--set ccl.defaults.buffer_kind=sram",
          "'ring_allreduce_hbm' has its own, ccl.algorithms.ring_allreduce_hbm.buffer_kind\n");
  refuses(own + "--set ccl.algorithms.mesh_allreduce.n_slots=2", "'ring_allreduce_hbm' runs, not 'mesh_allr");
  refuses(own + "--set ccl.defaults.algorithm=mesh_allreduce", "--algorithm stands in its place");
  refuses(own + "--buffer-kind tcm --set ccl.algorithms.ring_allreduce_hbm.buffer_kind=sram",
          "--buffer-kind stands in its place");
  refuses(own + "--set ccl.defaults.poll_ns=5", "'ring_allreduce_hbm' doesn't poll (backpressure)");
  CHECK(run_kbsim(own + "--set ccl.defaults.poll_ns=5 --set ccl.defaults.backpressure=poll").exit == 0);
  CHECK(run_kbsim(own + "--set ccl.algorithms.ring_allreduce_hbm.buffer_kind=sram").exit == 0);
}

TEST_CASE("Settings: rows of a ring, and what of a machine traffic doesn't meet, are refused") {
  refuses(kMainJob + " --set system.sips.w=2 --set system.sips.h=1",
          "a ring (system.sips.topology) has no rows");
  const std::string traffic = "traffic --topology topology.yaml --load 0.5 --packets 9 --warmup 0 ";
  refuses(traffic + "--scope link --set system.packet_bytes=64", "none is cut");
  refuses(traffic + "--scope mesh:2x2 --set pe.link_bw_gbs=64", "--scope mesh:2x2 is a bare network");
  refuses(traffic + "--scope sip0.cubes --set cube.memory.sram_bytes=1MiB", "no memory");
  refuses(traffic + "--scope link --ccl ccl.yaml", "it runs no collective");
  refuses(traffic + "--scope link --set cube.noc.router.overhead_ns=3", "no packet of --scope link meets");
  CHECK(run_kbsim(traffic + "--scope sip0.cube0.noc --set pe.link_bw_gbs=64").exit == 0);
  refuses("probe --topology topology.yaml --case pe-local-hbm --set ccl.defaults.n_elem=4", "--bytes says");
}

TEST_CASE("Settings: keys of algorithms that tp_mlp doesn't run are refused") {
  const std::string run = kTopology + "--dry-run --bench tp_mlp";
  refuses(run + " --set ccl.algorithms.mesh_allreduce.n_slots=2", "not 'mesh_allreduce'");
  CHECK(run_kbsim(run + " --set ccl.algorithms.ring_allreduce_tcm.n_slots=2").exit == 0);
  refuses(run + " --algorithm tree_allreduce --set ccl.algorithms.ring_allreduce_tcm.n_slots=2",
          "not 'ring_allreduce_tcm'");
}

TEST_CASE("Settings: options of --bench ccl that its collective doesn't know are refused") {
  const std::string ccl = kTopology + kSmall + "--bench ccl -e 1K ";
  refuses_both(ccl + "--algorithm ring_all_gather -o max", "--op has no effect: all_gather combines nothing");
  refuses_both(
      ccl + "-o max --set ccl.defaults.n_slots=2 --set ccl.algorithms.intercube_allreduce.reduce_op=min",
      "ccl.algorithms.intercube_allreduce.reduce_op: has no effect on --bench ccl: -o stands in its");
  CHECK(run_kbsim(ccl + "--dry-run --set ccl.algorithms.intercube_allreduce.reduce_op=min").exit == 0);
  refuses(ccl + "-r 1", "--root has no effect: all_reduce has no root");
  refuses(ccl + "-b 512 -f 1",
          "--stepfactor 1 doesn't lead from --minbytes 512 B to --maxbytes 1 KiB; expected 2 or more, or "
          "--stepbytes");
  refuses(ccl + "-i 256 -f 2", "--stepfactor has no effect: --stepbytes stands in its place");
  refuses(ccl + "-i 0", "--stepbytes must be at least 1, got 0");
  CHECK(run_kbsim(ccl + "--verify-data").exit == 0);
  refuses(ccl + "-c 0 --verify-data", "--check 0 and --verify-data: nothing is compared");
  refuses_both(ccl + "-n 1000000000", "--iters must be 1 to 1000");
}

TEST_CASE("--dry-run: refuses what a run refuses for want of room") {
  const std::string ring = kTopology + kSmall + "--bench ccl_allreduce --algorithm ring_allreduce_tcm ";
  const std::string n_elem = "--set ccl.algorithms.ring_allreduce_tcm.n_elem=";
  refuses_both(ring + n_elem + "9000000000000000000", "no machine has so many");
  refuses_both(ring + n_elem + "3221225473", "are more than its HBM slice, 6 GiB");
  refuses_both(ring + "--set ccl.defaults.slot_size=1", "an element of f16 does not fit a slot of 1 B");
  refuses_both(ring + "--set ccl.defaults.slot_size=512MiB", "(slot_size) are more than");
  refuses_both(ring + "--set ccl.defaults.world_size=99", "world_size 99 of algorithm");
  refuses_both(kMainJob + " " + kSmall + "--buffer-kind sram --set ccl.defaults.slot_size=8MiB",
               "no room for the queues of intercube_allreduce: the rings of sip0.cube0.");
  refuses_both(kMainJob + " " + kSmall + "--buffer-kind sram --set ccl.defaults.slot_size=8MiB",
               "don't fit: sip0.cube0 sram: asked for 32 MiB");
  refuses_both(kTopology + "--bench ccl -b 100G -e 100G -c 0", "are more than its HBM slice, 6 GiB");
  refuses_both(kTopology + "--bench ccl -b 6G -e 6G -c 0 --algorithm ring_all_gather",
               ": sip0.cube0.pe0 hbm: asked for 6 GiB");
  const std::string little = " --set cube.memory.hbm_bytes_per_pe=1000";
  for (const char* bench : {"gemm_single_pe", "qkv_gemm", "qkv_gemm_multi_pe", "gpt3_qkv", "va_offset_verify",
                            "milestone-1h-gemm", "milestone-1h-ccl"})
    refuses_both(kTopology + "--bench " + bench + little, "1000 B");
  for (const char* bench :
       {"ccl", "ccl_allreduce", "gemm_single_pe", "milestone-1h-ccl", "milestone-1h-gemm"})
    refuses_both(
        "--topology router_vc.yaml --bench " + std::string{bench} + " --set cube.noc.router.buffer_bytes=255",
        "255 B can't hold a packet of 256 B");
  for (const char* bench :
       {"gemm_single_pe", "qkv_gemm", "qkv_gemm_multi_pe", "gpt3_qkv", "milestone-1h-gemm"})
    refuses_both(kTopology + "--bench " + bench + " --set pe.pe_scheduler.tile_k=65536",
                 "but the scheduler's part of the TCM has 4 MiB");
  refuses_both(kMainJob + " --set ccl.algorithms.intercube_allreduce.kernel=softmax",
               "kernel 'softmax' was given arguments of another kernel's type");
  refuses_both(kMainJob + " --set ccl.algorithms.intercube_allreduce.validator=multi_pe_sip_local",
               "intercube_allreduce needs one shard on every PE of the package");
  // Just enough room is enough: 4 + 4 + 4 KiB for a tile of A, of B and of C, and 4 + 4 for those of B and C.
  const std::string scheduler = " --quiet --set cube.memory.tcm_scheduler_bytes=";
  CHECK(run_kbsim(kTopology + "--bench gemm_single_pe" + scheduler + "12KiB").exit == 0);
  refuses_both(kTopology + "--bench gemm_single_pe" + scheduler + "12287", "takes 12 KiB");
  CHECK(run_kbsim(kTopology + "--bench qkv_gemm" + scheduler + "8KiB").exit == 0);
  refuses_both(kTopology + "--bench qkv_gemm" + scheduler + "8191", "takes 8 KiB");
  for (const char* bench : {"qkv_gemm", "va_offset_verify", "milestone-1h-gemm"})
    refuses_both(kTopology + "--bench " + bench +
                     " --set cube.memory.tcm_scheduler_bytes=64KiB --set cube.memory.tcm_bytes=65600",
                 "are more than the TCM of a PE has room for, 64 B");
}

TEST_CASE("--out: the resolved configuration alone runs the same, algorithms, slots and all") {
  const std::string out = folder("resolved");
  const Outcome run = run_kbsim(kMainJob + " " + kSmall +
                                "--quiet --json --algorithm ring_allreduce_hbm "
                                "--buffer-kind sram --set ccl.defaults.n_slots=3 --set system.sips.count=3 "
                                "--set ccl.defaults.slot_size=64 --out " +
                                out);
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  const Outcome again =
      run_kbsim("--topology " + out + "/config.resolved.yaml --bench ccl_allreduce --quiet --json");
  REQUIRE_MESSAGE(again.exit == 0, again.err);
  const boost::json::value first = boost::json::parse(run.out);
  const boost::json::value second = boost::json::parse(again.out);
  CHECK(first.at("result") == second.at("result"));
  for (const char* what : {"digest", "simulated_ps"})
    CHECK(first.at("run").at(what) == second.at("run").at(what));
  CHECK(run_kbsim("topology " + out + "/config.resolved.yaml").exit == 0);
  refuses("--topology " + out + "/config.resolved.yaml --bench ccl_allreduce --ccl ccl.yaml",
          "the file has its own algorithms, expected no --ccl ccl.yaml");
}

TEST_CASE(
    "--set of a default that the algorithm's entry replaces is refused, also with the entry's own value") {
  for (const int slots : {8, 16}) {
    const Outcome outcome = run_kbsim(
        "--topology topology.yaml --bench ccl --algorithm ring_all_gather -b 1K -e 1K "
        "--set ccl.defaults.n_slots=" +
        std::to_string(slots));
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find("'ring_all_gather' has its own, ccl.algorithms.ring_all_gather.n_slots") !=
          std::string::npos);
  }
}

TEST_CASE("--out: the resolved configuration of an evaluation gives the same rows") {
  const std::string out = folder("rows");
  const std::string again = folder("rows-again");
  const std::string sizes = " --bench ccl -b 1K -e 4K -f 2 --quiet --out ";
  CHECK(run_kbsim(kTopology + kSmall +
                  "--algorithm ring_all_gather --buffer-kind hbm --set "
                  "ccl.algorithms.ring_all_gather.n_slots=2" +
                  sizes + out)
            .exit == 0);
  CHECK(run_kbsim("--topology " + out + "/config.resolved.yaml" + sizes + again).exit == 0);
  CHECK(contents(out + "/results.csv") == contents(again + "/results.csv"));
}

TEST_CASE("--reuse: rows of another configuration, or of other options, are refused") {
  const std::string out = folder("reused");
  const std::string ccl = kTopology + kSmall + "--bench ccl --quiet --out " + out + " -b 1K ";
  const std::string ring = ccl + "--algorithm ring_allreduce_tcm ";
  REQUIRE(run_kbsim(ring + "-e 4K").exit == 0);
  CHECK(run_kbsim(ring + "-e 4K --reuse --num-threads 1").exit == 0);
  CHECK(run_kbsim("--topology " + out + "/config.resolved.yaml --bench ccl --quiet --out " + out +
                  " -b 1K -e 4K --reuse")
            .exit == 0);
  const std::string of_another = "--reuse: the results in " + out + " are of another run: ";
  refuses_both(ring + "-e 8K --reuse", of_another + "--maxbytes was \"4K\", and is \"8K\" here");
  refuses(ring + "-e 4K --reuse --set system.sips.count=3",
          of_another + "system.sips.count was 2, and is 3 here");
  refuses(ccl + "-e 4K --reuse --algorithm mesh_allreduce",
          of_another + "ccl.defaults.algorithm was ring_allreduce_tcm, and is mesh_allreduce here");
  refuses(ring + "-e 4K --reuse --set ccl.algorithms.ring_allreduce_tcm.slot_size=64",
          "ccl.algorithms.ring_allreduce_tcm.slot_size was ");
  std::ofstream{out + "/config.resolved.yaml"} << "{";
  refuses(ring + "-e 4K --reuse", out + "/config.resolved.yaml:1:");
  std::filesystem::remove(out + "/config.resolved.yaml");
  refuses(ring + "-e 4K --reuse", "--reuse: no " + out + "/config.resolved.yaml");
}

}  // namespace kbsim::contract::settings_test
