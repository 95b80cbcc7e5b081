// A setting that is wrong costs nothing: what an earlier run left in --out stays as it was.
#include <filesystem>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::refused_test {

using namespace kbsim::test;

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator{folder})
    all[entry.path().string()] = entry.is_regular_file() ? contents(entry.path()) : "";
  return all;
}

// Results of `command` in a folder; refused commands get this folder in place of OUT.
class Earlier {
 public:
  explicit Earlier(const std::string& command) : folder_{fresh_place("refused").string()} {
    const Outcome run = run_kbsim(command + " --quiet --out " + folder_);
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    before_ = files_in(folder_);
    REQUIRE(before_.size() > 1);
  }

  void refuses(const std::string& command, int exit = 2) const {
    CAPTURE(command);
    const Outcome run = run_kbsim(command + " --quiet --out " + folder_);
    CAPTURE(run.err);
    CHECK(run.exit == exit);
    CHECK(!run.err.empty());
    CHECK(files_in(folder_) == before_);
  }

  [[nodiscard]] bool is_as_it_was() const { return files_in(folder_) == before_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::map<std::string, std::string> before_;
};

const std::string kLink = "traffic --topology topology.yaml --scope link --packets 200 --warmup 10 ";

}  // namespace

TEST_CASE("Refused: a run with a wrong setting leaves the results of an earlier one") {
  const Earlier earlier{kMainJob};
  for (const char* wrong : {"--explain --of op:nowhere:1", "--explain --of op:0", "--of launch:1",
                            "--algorithm no_such", "--device 9", "--set cube.noc.w=0", "--set cube.nothing=1",
                            "--race maybe", "--max-events -1", "--stop-at -1", "--ccl no_such.yaml",
                            "--trace-window 5:1 --trace t.json", "--timing-only --verify-data", "--oplog /"})
    earlier.refuses(kMainJob + " " + wrong);
  earlier.refuses("--topology no_such.yaml --bench ccl_allreduce");
  earlier.refuses("--topology topology.yaml --bench no_such");
}

// links.csv is the first file that is too long: the files after it aren't written either.
TEST_CASE("Refused: a run that finds no room for its results leaves those of an earlier one") {
  const Earlier earlier{kMainJob};
  const Outcome run =
      run_script("trap '' XFSZ; ulimit -f 100; $KBSIM " + kMainJob + " --quiet --out " + earlier.folder());
  CAPTURE(run.err);
  CHECK(run.exit == 2);
  CHECK(run.err.find("can't write") != std::string::npos);
  CHECK(run.out.find("allreduce") != std::string::npos);
  CHECK(earlier.is_as_it_was());
}

TEST_CASE("Refused: an evaluation prints rows that there is no room for") {
  const std::string ccl = "--topology topology.yaml --bench ccl -b 1K -e 1K ";
  const Outcome file = run_kbsim(ccl + "-J /dev/full");
  CHECK(file.exit == 2);
  CHECK(file.out.find("Avg bus bandwidth") != std::string::npos);
  const Earlier earlier{ccl};
  const Outcome folder =
      run_script("trap '' XFSZ; ulimit -f 4; $KBSIM " + ccl + "--quiet --out " + earlier.folder());
  CHECK(folder.exit == 2);
  CHECK(folder.err.find("can't write") != std::string::npos);
  CHECK(folder.out.find("Avg bus bandwidth") != std::string::npos);
  CHECK(earlier.is_as_it_was());
}

TEST_CASE("Refused: an evaluation with a wrong setting leaves the results of an earlier one") {
  const std::string ccl = "--topology topology.yaml --bench ccl -b 1K -e 1K ";
  const Earlier earlier{ccl};
  for (const char* wrong : {"--explain --of row:2", "-d no_type", "-o no_op", "-r 7", "-b 4K", "--check 3",
                            "--algorithm no_such", "--iters 0", "--reference no_such.csv"})
    earlier.refuses(ccl + wrong);
  earlier.refuses("--topology topology.yaml --bench gemm --layers no_such.csv");
  earlier.refuses("--topology topology.yaml --bench gemm --explain --of row:2");
  earlier.refuses("--topology topology.yaml --bench attention --ranks 100000");
  earlier.refuses("--topology topology.yaml --bench tp_mlp --ffn 3");
  earlier.refuses("--topology topology.yaml --bench llm --prompt 0");
}

// Packets are as large as messages: only the smallest fit the routers' buffers, or none fits.
TEST_CASE("Refused: an evaluation without a row that can be simulated leaves the results of an earlier one") {
  const std::string ccl = "--topology topology.yaml --bench ccl -c 0 -b 128 -e 8K -f 8 ";
  const std::string routers =
      "--set system.packet_bytes=0 --set cube.noc.router.impl=builtin.router_vc --set "
      "cube.noc.router.buffer_bytes=";
  const Earlier earlier{ccl};
  earlier.refuses(ccl + routers + "16");
  const Outcome some = run_kbsim(ccl + routers + "1KiB --quiet --out " + earlier.folder());
  CAPTURE(some.err);
  CHECK(some.exit == 2);
  CHECK(some.out.find("failed: 1 without a row") != std::string::npos);
  CHECK(some.err.find("kbsim: 8 KiB of intercube_allreduce: ") != std::string::npos);
  const std::string summary = contents(earlier.folder() + "/summary.json");
  CHECK(summary.find(R"("size":1024)") != std::string::npos);
  CHECK(summary.find(R"("exit_code":2)") != std::string::npos);
  CHECK(fs::exists(earlier.folder() + "/failure.json"));
  CHECK(fs::exists(earlier.folder() + "/PARTIAL"));
}

TEST_CASE("Refused: traces that aren't simulated leave the results of earlier ones") {
  const auto event = [](int chip) {
    return R"({"proc":"NCRISC","noc":"NOC_0","sx":1,"sy":1,"type":"READ","timestamp":1,"dx":0,"dy":5,)"
           R"("num_bytes":64,"src_device_id":)" +
           std::to_string(chip) + "}";
  };
  const std::string good = written("one_chip.json", "[" + event(0) + "]");
  const std::string two = written("two_chips.json", "[" + event(0) + ", " + event(1) + "]");
  const Earlier earlier{"traffic --trace " + good};
  earlier.refuses("traffic --trace " + two, 5);
}

TEST_CASE(
    "Refused: traffic with a wrong load, number, size or warm-up leaves the results of earlier traffic") {
  const Earlier earlier{kLink + "--load 0.5"};
  for (const char* wrong :
       {"--load 1.5", "--load -1", "--rate 101", "--rate 1e-300", "--load 0.5 --packets 0",
        "--load 0.5 --bytes 0", "--load 0.5 --warmup -1", "--load 0.5 --seed -1",
        "--load 0.5 --packets 60000000", "--load 0.5 --bytes 16,16", "--outstanding 0", "",
        "--load 0.5 --pattern no_such", "--load 0.5 --pattern file:no_such.csv"})
    earlier.refuses("traffic --topology topology.yaml --scope link " + std::string{wrong});
  earlier.refuses("traffic --topology topology.yaml --scope file:no_such.yaml --load 0.5");
  earlier.refuses("traffic --topology topology.yaml --scope nowhere --load 0.5");
}

TEST_CASE("Refused: accesses of a memory with a wrong setting leave the results of earlier ones") {
  const std::string hbm = "traffic --topology topology.yaml --scope hbm --total 64KiB ";
  const Earlier earlier{hbm};
  for (const char* wrong : {"--load 2", "--access 0", "--read-share 2", "--total 0", "--pattern banks",
                            "--outstanding 0", "--pattern no_such", "--load 0.5 --outstanding 2"})
    earlier.refuses("traffic --topology topology.yaml --scope hbm " + std::string{wrong});
}

TEST_CASE("Refused: recorded traces that aren't there, or have mistakes, leave the results of earlier ones") {
  const std::string event = R"({"proc":"NCRISC","noc":"NOC_0","sx":1,"sy":1,"type":"READ","timestamp":1,)"
                            R"("dx":0,"dy":5,"num_bytes":64})";
  const std::string good = written("good.json", "[" + event + "]");
  const std::string bad = written("bad.json", "[" + event + ", 3]");
  const Earlier earlier{"traffic --trace " + good};
  earlier.refuses("traffic --trace no_such.json");
  earlier.refuses("traffic --trace " + bad);
  earlier.refuses("traffic --trace " + good + " " + bad);
  earlier.refuses("traffic --trace " + good + " --set hop_ns=-1");
  earlier.refuses("traffic --topology no_such.yaml --trace " + good);
  earlier.refuses("fit --trace no_such.json");
  earlier.refuses("fit --trace " + good + " --rounds -1");
}

TEST_CASE("Refused: commands that compare and search leave the results of an earlier run") {
  const Earlier earlier{kMainJob};
  const std::string results = earlier.folder() + "/results.csv";
  earlier.refuses("correlate --results no_such.csv --reference no_such.csv");
  earlier.refuses("correlate --results " + results + " --reference no_such.csv");
  earlier.refuses("diff no_such " + earlier.folder());
  earlier.refuses("whatif " + kMainJob + " --set cube.nothing=1");
  earlier.refuses("whatif " + kMainJob + " --what nothing");
  earlier.refuses("solve " + kMainJob + " --vary cube.nothing=1..4 --target 'latency<=1us'");
  earlier.refuses("check no_such");
}

TEST_CASE("Refused: a sweep with a wrong setting leaves the tables of an earlier one") {
  const std::string sweep = "sweep " + kMainJob + " --set cube.noc.router.overhead_ns=";
  const Earlier earlier{sweep + "1,2"};
  for (const char* wrong :
       {"1,2 --set cube.nothing=1,2", "1,2 --jobs -1", "1,2 --timeout -1", "1,2 --where 1/0"})
    earlier.refuses(sweep + wrong);
}

// Only the run can find this mistake; the earlier results are kept whole.
TEST_CASE("Refused: a command whose temporary files have no place names TMPDIR") {
  const std::string base =
      "$KBSIM whatif --topology topology.yaml --bench ccl_allreduce --set cube.noc.overhead_ns=1";
  const Outcome nowhere = run_script("TMPDIR=no/such " + base);
  CHECK(nowhere.exit == 2);
  CHECK_MESSAGE(nowhere.err.find("TMPDIR names no folder") != std::string::npos, nowhere.err);
  const Outcome closed = run_script("TMPDIR=/proc " + base);
  CHECK(closed.exit == 2);
  CHECK_MESSAGE(closed.err.find("can't make the temporary folder '/proc/kbsim-trials-") != std::string::npos,
                closed.err);
  CHECK_MESSAGE(closed.err.find("No such file or directory; TMPDIR names where it goes") != std::string::npos,
                closed.err);
}

TEST_CASE("--of: a missing launch is reported alone, and the files of the run are whole") {
  const std::string folder = fresh_place("asked_wrongly").string();
  for (const char* of : {"launch:99", "collective:99", "op:sip0.cube0.pe0:4096"}) {
    CAPTURE(of);
    const Outcome run = run_kbsim(kMainJob + " --explain --of " + of + " --out " + folder);
    CHECK(run.exit == 2);
    CHECK(run.err.starts_with(std::string{"kbsim: --of "} + of));
    CHECK(run.out.empty());
    for (const char* file : {"run.json", "summary.json", "explain.json", "report.html"})
      CHECK_MESSAGE(fs::exists(folder + "/" + file), file);
    CHECK(!fs::exists(folder + "/PARTIAL"));
  }
}

}  // namespace kbsim::contract::refused_test
