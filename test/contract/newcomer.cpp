// Mistakes of the first hour: each message says how to get the next try right.
#include <filesystem>
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::newcomer_test {

using namespace kbsim::test;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void refuses(const std::string& arguments, const std::string& why) {
  CAPTURE(arguments);
  const Outcome outcome = run_kbsim(arguments);
  CHECK(outcome.exit == 2);
  CHECK_MESSAGE(says(outcome.err, why), outcome.err);
}

}  // namespace

TEST_CASE("Newcomer: a file that isn't there is 'no such file', whichever option names it") {
  for (const char* arguments :
       {"--topology none.yaml --bench ccl_allreduce", "--ccl none.yaml --bench ccl_allreduce",
        "--plugin none.so --bench ccl_allreduce", "--bench llm --model none.json",
        "--bench milestone-1h-ccl --reference none.csv", "correlate --results none.csv --reference none.csv",
        "replay none.oplog", "traffic --scope mesh:2x2 --pattern file:none.csv", "topology none.yaml"})
    refuses(arguments, ": no such file");
  refuses("check none", "none: no such folder, expected what a run wrote with --out");
  std::filesystem::create_directories(written("empty-folder", "") + ".d");
  refuses("check " + written("empty-folder", "") + ".d", "run.json: no such file");
  for (const char* command : {"check ", "report ", "diff . ", "sweep merge "})
    refuses(command + written("a-file", ""), "is no folder, expected what ");
  const std::string sweep = written("of-a-sweep", "") + ".d";
  REQUIRE(run_kbsim("sweep --quiet --bench gemm --vary m=16,32 --out " + sweep).exit == 0);
  refuses("check " + sweep, "is of a sweep, expected what a run wrote with --out; kbsim diff ");
  refuses("report " + sweep, "is of a sweep: kbsim sweep merge " + sweep);
  for (const char* arguments :
       {"--topology . --bench ccl_allreduce", "--plugin . --bench ccl_allreduce", "--bench llm --model .",
        "replay .", "correlate --results . --reference none.csv",
        "traffic --scope mesh:2x2 --pattern file:."})
    refuses(arguments, "is a folder, expected a file");
}

TEST_CASE("Newcomer: JSON where CSV is expected is said to be JSON, and the other way") {
  const std::string json = written("result.json", "{\"rows\": []}\n");
  const std::string csv = written("good.csv", "size,time\n1024,1\n4096,4\n");
  refuses("correlate --results " + json + " --reference " + csv, "result.json: is JSON, expected CSV");
  refuses("correlate --results " + csv + " --reference " + json, "result.json:1:1: no rows");
  refuses("--bench milestone-1h-ccl --reference " + json, "result.json:1:1: no rows");
  refuses("traffic --scope mesh:2x1 --pattern file:" + json, "result.json: is JSON, expected CSV");
  refuses("--bench llm --model " + csv, "good.csv:1:1: not JSON");
}

TEST_CASE("Newcomer: types go by their names in PyTorch, too; a missing one is no typing error") {
  const std::string ccl = "--bench ccl --quiet -b 64 -e 64 -d ";
  const Outcome half = run_kbsim(ccl + "half");
  REQUIRE(half.exit == 0);
  for (const char* name : {"float16", "fp16", "f16"}) CHECK(run_kbsim(ccl + name).out == half.out);
  CHECK(says(run_kbsim(ccl + "float32").out, " float "));
  CHECK(says(run_kbsim(ccl + "bf16").out, " bfloat16 "));
  refuses(ccl + "float61", "did you mean 'float16'?");
  refuses(ccl + "int64", "-d int64: collectives don't have this type; expected half, bfloat16, float");
  refuses(ccl + "int32 -o avg",
          "-o avg: there is no avg of integers (int32); expected sum, prod, max or min");
}

TEST_CASE("Newcomer: sizes that aren't whole elements are said, and what is measured in their place") {
  const Outcome odd = run_kbsim("--bench ccl --quiet -b 3 -e 9 -i 3");
  CHECK(odd.exit == 0);
  CHECK(odd.err ==
        "kbsim: --bench ccl measures whole elements of half (2 B) on each rank: 2 B in place of 3 B, 8 B in "
        "place of 9 B\n");
  CHECK(run_kbsim("--bench ccl --quiet -b 4 -e 8 -i 2").err.empty());
  CHECK(says(run_kbsim("--bench ccl --quiet --dry-run -b 1 -e 1 -d float").err, "4 B in place of 1 B"));
}

TEST_CASE("Newcomer: an algorithm that doesn't fit a bench is refused with the names of those that do") {
  const std::string run = "--dry-run --bench tp_mlp --algorithm ";
  refuses(run + "intercube_allreduce", "here, on one PE of each package, run ");
  refuses(run + "intercube_allreduce", "ring_allreduce_tcm");
  refuses(run + "ring_all_gather", "expected an all_reduce");
  refuses(run + "ring_all_gather", "chunked_ring_allreduce, ");
  CHECK(run_kbsim(run + "chunked_ring_allreduce").exit == 0);
}

TEST_CASE("Newcomer: a missing or extra argument is reported in the words of the usage") {
  refuses("check", "kbsim: DIR is missing; usage: kbsim check DIR [options]\n");
  refuses("replay", "kbsim: FILE is missing; usage: kbsim replay FILE [options]\n");
  refuses("explain ccl_allreduce",
          "unexpected argument 'ccl_allreduce', did you mean '--bench ccl_allreduce'?");
  refuses("probe pe-local-hbm", "unexpected argument 'pe-local-hbm', did you mean '--case pe-local-hbm'?");
  refuses("traffic mesh:8x8 --load 0.5", "did you mean '--scope mesh:8x8'?");
  refuses("traffic --scope link load 0.5", "unexpected argument 'load', did you mean '--load'?");
  refuses("--bench ccl_allreduce hbm4.yaml", "did you mean '--topology hbm4.yaml'?");
  refuses("correlate mine.csv --reference other.csv", "did you mean '--results mine.csv'?");
  const Outcome unknown = run_kbsim("help qqqqq");
  CHECK(unknown.exit == 2);
  CHECK(says(unknown.err, "traffic"));
  refuses(
      "list kernels",
      "unexpected argument 'kernels'; kbsim list takes no name and lists everything, kbsim help NAME says");
  refuses("sweep merg DIR", "sweep: there is no file 'merg'; did you mean 'merge'?\n");
  refuses("sweep", "kbsim: --out is missing: the folder of results\n");
  refuses("--bench gemm m=512", "unexpected argument 'm=512', did you mean '--m=512'?");
  refuses("--bench ccl_allreduce cube.noc.link_bw_gbs=128",
          "unexpected argument 'cube.noc.link_bw_gbs=128', did you mean '--set cube.noc.link_bw_gbs=128'?");
  for (const char* values : {"2,4", "2..8*2"})
    refuses("--bench ccl_allreduce --set system.sips.count=" + std::string{values},
            std::string{"found '"} + values +
                "', expected an integer from 1 to 256; kbsim sweep takes several values\n");
  for (const std::string command : {"list", "explain", "whatif"})
    refuses("--plugin libmine.so " + command,
            "unexpected argument '" + command + "'; a command comes first: kbsim " + command + " ...");
  refuses("topology.yaml --bench ccl_allreduce", "did you mean '--topology topology.yaml'?");
  refuses("help chkra", "unknown command or bench 'chkra', did you mean 'chakra'?");
  refuses("--bench softmax",
          "kbsim: 'softmax' is a kernel, which a bench launches: --bench ccl --algorithm ");
}

TEST_CASE("Newcomer: a wrong word of a few is reported with the nearest of them") {
  const std::string run = "--bench ccl_allreduce ";
  refuses("completion bsh", "completion: expected bash or zsh, got bsh; did you mean 'bash'?\n");
  refuses(run + "--race eror", "--race must be error, warn or off, got 'eror'; did you mean 'error'?\n");
  refuses(run + "--buffer-kind tmc", "must be tcm, hbm or sram, got 'tmc'; did you mean 'tcm'?\n");
  refuses("--bench qkv_gemm --device al", "must be sip:N or all, got 'al'; did you mean 'all'?\n");
  refuses(run + "--explain --of lanch:1", "; did you mean 'launch'?\n");
  refuses(run + "--trace t.jsn", "or .svg (a picture); did you mean '.json'?\n");
  refuses("--bench llm --phase prefil", "prefill, decode, both or mixed; did you mean 'prefill'?\n");
}

TEST_CASE("Newcomer: sizes of nccl-tests' own command lines are taken, of either case") {
  const std::string ccl = "--bench ccl --quiet -f 4 ";
  CHECK(run_kbsim(ccl + "-b 1k -e 4k").out == run_kbsim(ccl + "-b 1K -e 4K").out);
  CHECK(run_kbsim(ccl + "--dry-run -b 1k -e 1m").exit == 0);
}

TEST_CASE("Newcomer: a ccl file of a single algorithm runs it") {
  const std::string one = written("one.yaml",
                                  "algorithms: {mine: {kernel: hello_send, topology: ring_by_rank, "
                                  "collective: sendrecv}}\n");
  for (const char* name : {"", " --algorithm mine"}) {
    const Outcome outcome = run_kbsim("--bench ccl -b 64 -e 64 --ccl " + one + name);
    CHECK_MESSAGE(outcome.exit == 0, outcome.err);
    CHECK(says(outcome.out, "# mine on 2 ranks"));
  }
}

TEST_CASE("Newcomer: --dry-run says what it would run, where, and which files it would write") {
  const Outcome once = run_kbsim("--bench ccl_allreduce --dry-run --out results");
  CHECK(once.exit == 0);
  CHECK(unwrapped(once.out) ==
        "--dry-run: nothing is simulated. ccl_allreduce: all-reduce of one tensor per package, by the "
        "algorithm of ccl.yaml, checked exactly "
        "machine topology.yaml: packages: 2, cubes of each: 16, PEs of a cube: 8 "
        "algorithm intercube_allreduce (kernel intercube_allreduce, topology cube_mesh), 4 slots of 4 KiB "
        "in tcm "
        "ranks 2 packages, on 32 PEs: sip0.cube0.pe0 sip0.cube1.pe0 sip0.cube2.pe0 sip0.cube3.pe0 ... "
        "sip1.cube15.pe0 "
        "writes results/summary.json, results/results.csv, results/links.csv, results/units.csv, "
        "results/orders.csv, results/launches.csv, results/run.json, results/config.resolved.yaml ");
  const Outcome many = run_kbsim("--bench ccl --algorithm mesh_allreduce_4 -b 64 -e 1K --dry-run");
  CHECK(many.exit == 0);
  for (const char* part : {"4 PEs, on 4 PEs: sip0.cube0.pe0 ", "--minbytes 64 --maxbytes 1K", "no files"})
    CHECK_MESSAGE(says(many.out, part), many.out);
  CHECK(!says(run_kbsim("--bench gemm_single_pe --dry-run").out, "algorithm"));
  CHECK(run_kbsim("--bench ccl_allreduce --dry-run --json").out.empty());
}

TEST_CASE("Newcomer: list says which algorithms have PEs as ranks; help of a bench stands alone") {
  const std::string list = unwrapped(run_kbsim("list").out);
  CHECK(says(list, "validator single_shard_per_rank; ranks are 7 PEs, not packages)"));
  CHECK(says(list, "ranks are 4 PEs"));
  for (const char* leaning : {" the same with ", " the same of ", " the same, "}) CHECK(!says(list, leaning));
}

TEST_CASE("Newcomer: traffic to a memory counts accesses, which have no events") {
  const Outcome outcome = run_kbsim("traffic --scope hbm --total 64KiB");
  CHECK(outcome.exit == 0);
  CHECK_MESSAGE(says(outcome.err, "simulated 350 ns, 256 accesses, "), outcome.err);
  CHECK(says(outcome.err, " M accesses/s"));
  CHECK(!says(outcome.err, "events"));
}

}  // namespace kbsim::contract::newcomer_test
