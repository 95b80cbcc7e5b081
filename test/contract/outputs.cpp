// The files that --out writes.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::outputs_test {

using namespace kbsim::test;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows csv(const std::string& file) {
  Rows rows;
  std::istringstream lines{contents(file)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells{line};
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

std::string run_into_folder(const std::string& more = "") {
  const std::string folder = written("bench-out", "") + ".d";
  const Outcome outcome = run_kbsim(kMainJob + " --out " + folder + more);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return folder;
}

}  // namespace

TEST_CASE("--out: every file is there, and the JSON is that of --json") {
  const std::string folder = run_into_folder();
  for (const char* file : {"summary.json", "results.csv", "links.csv", "units.csv", "orders.csv",
                           "launches.csv", "run.json", "config.resolved.yaml"})
    CHECK_MESSAGE(std::filesystem::exists(folder + "/" + file), file);
  auto summary = boost::json::parse(contents(folder + "/summary.json")).as_object();
  auto printed = boost::json::parse(run_kbsim(kMainJob + " --json --quiet").out).as_object();
  summary.at("run").as_object().erase("host");
  printed.at("run").as_object().erase("host");
  CHECK(summary == printed);
}

TEST_CASE("--out: the resolved configuration describes the same run") {
  const std::string folder = run_into_folder(" --set system.sips.count=3");
  const auto run = boost::json::parse(contents(folder + "/run.json")).as_object().at("run").as_object();
  const Outcome again =
      run_kbsim("--topology " + folder + "/config.resolved.yaml --bench ccl_allreduce --json --quiet");
  REQUIRE_MESSAGE(again.exit == 0, again.err);
  CHECK(boost::json::parse(again.out).at("run").at("digest") == run.at("digest"));
}

TEST_CASE("--set: attributes of the model that it replaces are left out, and a line says so") {
  const std::string banks = " --quiet --set cube.hbm_ctrl.impl=builtin.hbm_banks";
  const Outcome run = run_kbsim(kMainJob + banks);
  CHECK(run.exit == 0);
  CHECK(run.err.find("builtin.hbm_banks has no efficiency (topology.yaml:") != std::string::npos);
  CHECK(std::ranges::count(run.err, '\n') == 1);
  CHECK(run_kbsim("topology topology.yaml --set cube.hbm_ctrl.impl=builtin.hbm_banks").err == run.err);
  const Outcome wrong = run_kbsim(kMainJob + banks + " --set cube.hbm_ctrl.efficiency=0.5");
  CHECK(wrong.exit == 2);
  CHECK(wrong.err.starts_with(
      "kbsim: --set cube.hbm_ctrl.efficiency=0.5: cube.hbm_ctrl.efficiency: unknown key"));
}

TEST_CASE("--out: links and units are all there, none busier than the time that there was") {
  const std::string folder = run_into_folder();
  const Rows links = csv(folder + "/links.csv");
  const Rows units = csv(folder + "/units.csv");
  REQUIRE(links.front() == std::vector<std::string>{"link", "bw_GBps", "packets", "bytes", "utilization",
                                                    "demand", "longest_queue_ns", "waited_ns", "blocked_ns"});
  REQUIRE(links.size() > 100);
  double bytes = 0.0;
  for (std::size_t i = 1; i < links.size(); ++i) {
    CHECK(std::stod(links[i][4]) <= 1.0);
    CHECK(std::stod(links[i][5]) >= std::stod(links[i][4]));
    CHECK((std::stod(links[i][3]) > 0.0) == (std::stod(links[i][6]) > 0.0));
    bytes += std::stod(links[i][3]);
  }
  CHECK(bytes > 0.0);
  for (std::size_t i = 1; i < units.size(); ++i) {
    REQUIRE(units[i].size() == units.front().size());
    CHECK(std::stod(units[i][5]) <= 1.0);
    CHECK((units[i][3] == "NaN") == (units[i][1] == "pe_math" || units[i][1] == "pe_gemm"));
  }
}

TEST_CASE("--out: a folder that can't be made is named") {
  const std::string file = written("in-the-way", "");
  const std::string made = run_into_folder(" --no-report");
  for (const std::string& folder : {file, file + "/below"}) {
    const Outcome outcome = run_kbsim(kMainJob + " --out " + folder);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err ==
          "kbsim: --out " + folder + ": " + file + " is a file, expected a folder, which may be new\n");
    for (const std::string& other :
         {kMainJob + " --dry-run", std::string{"--bench ccl -b 1K -e 1K"}, std::string{"check " + made},
          std::string{"diff " + made + " " + made}, std::string{"traffic --scope mesh:2x2 --load 0.5"},
          std::string{"traffic --scope hbm"}, "whatif " + kMainJob + " --set system.sips.count=3",
          "sweep " + kMainJob, "sweep --dry-run " + kMainJob}) {
      CAPTURE(other);
      const Outcome refused = run_kbsim(other + " --out " + folder);
      CHECK(refused.exit == 2);
      CHECK(refused.err == outcome.err);
      CHECK(refused.out.empty());
    }
  }
}

TEST_CASE("Outputs: a link that leads nowhere is told before the run, with the folder to make") {
  const fs::path link = fs::path{written("link-in-the-way", "")}.replace_filename("dangling-link");
  fs::remove(link);
  fs::create_symlink("no/such", link);
  const std::string remedy = ": File exists; make the folder '" + (link.parent_path() / "no/such").string() +
                             "' first, where the link '" + link.string() + "' leads\n";
  for (const std::string option : {"--out ", "--trace-dir ", "--chakra "}) {
    for (const char* more : {"", " --dry-run"}) {
      const Outcome outcome = run_kbsim(kMainJob + " --quiet " + option + link.string() + more);
      CHECK(outcome.exit == 2);
      CHECK(outcome.err == "kbsim: " + option + link.string() + remedy);
    }
  }
}

TEST_CASE("Outputs: a FIFO gets the op log, a symlink leads to it, and both are still there") {
  const Outcome outcome =
      run_script("mkfifo fifo; (cat fifo >got) & timeout 60 $KBSIM " + kMainJob +
                 " --quiet --oplog fifo && wait && "
                 "ln -s log link; timeout 60 $KBSIM " +
                 kMainJob +
                 " --quiet --oplog link && "
                 "test -p fifo && test -L link && cmp got log; code=$?; rm -f fifo got link log; exit $code");
  CHECK_MESSAGE(outcome.exit == 0, outcome.err);
}

TEST_CASE("Outputs: none of them leaves a file's secrecy, or anything beside it") {
  const Outcome outcome =
      run_script("mkdir new; cd new; touch a b c; chmod 600 a b c; timeout 60 $KBSIM " + kMainJob +
                 " --quiet --oplog a >/dev/null && timeout 60 $KBSIM topology topology.yaml --out b && "
                 "timeout 60 $KBSIM "
                 "--topology topology.yaml --bench ccl -e 1K --quiet -J c >/dev/null; "
                 "stat -c '%a %n' $(ls -A); cd ..; rm -r new");
  CHECK(outcome.exit == 0);
  CHECK(outcome.out == "600 a\n600 b\n600 c\n");
}

TEST_CASE("Outputs: stdout by its name is what is printed; beside --json it has no room") {
  const Outcome printed = run_script("timeout 60 $KBSIM topology topology.yaml");
  const Outcome named = run_script("timeout 60 $KBSIM topology topology.yaml --out /dev/stdout");
  CHECK(named.exit == 0);
  CHECK(named.out == printed.out);
  for (const char* arguments : {" --bench ccl_allreduce --json --oplog /dev/stdout",
                                " --bench ccl -e 1K --json -J /proc/self/fd/1"}) {
    const Outcome refused = run_kbsim(std::string{"--topology topology.yaml"} + arguments);
    CHECK(refused.exit == 2);
    CHECK(refused.out.empty());
    CHECK(refused.err.find("beside --json: stdout is one JSON document") != std::string::npos);
  }
}

TEST_CASE("Outputs: a command that has written files says so on stderr, and where; --quiet doesn't") {
  const Outcome made = run_kbsim(kMainJob + " --out " + written("said", "") + ".run");
  const std::string folder = written("said", "") + ".run";
  CHECK_MESSAGE(made.err.find("wrote results to " + folder + "; " + folder +
                              "/report.html shows them\nsimulated ") != std::string::npos,
                made.err);
  const std::string elsewhere = written("said", "") + ".";
  for (const auto& [arguments, said] : std::vector<std::pair<std::string, std::string>>{
           {kMainJob + " --no-report --out {}", "wrote results to {}\n"},
           {kMainJob + " --oplog {}", "wrote {}\n"},
           {kMainJob + " --trace {}.json", "trace: "},
           {kMainJob + " --trace-dir {}", "trace: "},
           {kMainJob + " --chakra {}", "wrote execution traces to {}\n"},
           {"--topology topology.yaml --bench ccl -b 1K -e 1K --no-report --out {}", "wrote results to {}\n"},
           {"--topology topology.yaml --bench ccl -b 1K -e 1K -J {}", "wrote {}\n"},
           {"traffic --topology topology.yaml --scope link --load 0.5 --packets 100 --out {}",
            "wrote results to {}; {}/report.html shows them\n"},
           {"traffic --topology topology.yaml --scope hbm --total 64KiB --out {}",
            "wrote results to {}; {}/report.html shows them\n"},
           {"topology topology.yaml --svg --out {}", "wrote {}\n"},
           {"ccl export ring_allreduce_tcm --ranks 4 --out {}", "wrote {}\n"},
           {"report " + folder + " --out {}", "wrote {}\n"},
           {"report " + folder, "wrote " + folder + "/report.html\n"},
           {"check " + folder + " --out {}", "wrote results to {}; {}/report.html shows them\n"},
           {"diff " + folder + " " + folder + " --out {}", "wrote results to {}\n"},
           {"whatif " + kMainJob + " --set system.sips.count=3 --out {}", "wrote results to {}\n"},
           {"sweep --bench ccl_allreduce --set system.sips.count=2,3 --out {}",
            "wrote results to {}; {}/report.html shows them\n"}}) {
    const auto named = [](std::string text, const std::string& name) {
      for (std::size_t at = text.find("{}"); at != std::string::npos;
           at = text.find("{}", at + name.size())) {
        text.replace(at, 2, name);
      }
      return text;
    };
    CAPTURE(arguments);
    const std::string name = elsewhere + "made";
    std::filesystem::remove_all(name);
    const Outcome outcome = run_kbsim(named(arguments, name));
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 0);
    CHECK(("\n" + outcome.err).find("\n" + named(said, name)) != std::string::npos);
    CHECK(outcome.out.find("wrote ") == std::string::npos);
    if (arguments.starts_with("topology") || arguments.starts_with("ccl")) continue;  // have no --quiet
    std::filesystem::remove_all(name);
    const std::string quiet = run_kbsim(named(arguments, name) + " --quiet").err;
    CHECK(quiet.find("wrote ") == std::string::npos);
    CHECK(quiet.find("trace: ") == std::string::npos);
  }
}

TEST_CASE("--quiet of check and diff: refused where there is nothing that it would leave out") {
  const std::string folder = written("quiet", "") + ".run";
  REQUIRE(run_kbsim(kMainJob + " --no-report --quiet --out " + folder).exit == 0);
  const Outcome check = run_kbsim("check " + folder + " --quiet");
  CHECK(check.exit == 2);
  CHECK(check.err == "kbsim: --quiet has no effect without --out\n");
  // The run has no explain.json, so that it runs again.
  const std::string diff = "diff " + folder + " " + folder;
  CHECK(run_kbsim(diff).err.find(" has no explain.json: it runs again for it\n") != std::string::npos);
  CHECK(run_kbsim(diff + " --quiet").err.empty());
  const std::string sweep = written("quiet", "") + ".sweep";
  REQUIRE(run_kbsim("sweep --bench ccl_allreduce --set system.sips.count=2,3 --quiet --out " + sweep).exit ==
          0);
  const Outcome sweeps = run_kbsim("diff " + sweep + " " + sweep + " --quiet");
  CHECK(sweeps.exit == 2);
  CHECK(sweeps.err == "kbsim: --quiet has no effect on two sweeps without --out\n");
  const Outcome commands =
      run_kbsim("diff --a '--bench gemm_single_pe' --b '--bench gemm_single_pe' --quiet");
  CHECK(commands.exit == 2);
  CHECK(commands.err == "kbsim: --quiet has no effect on --a and --b without --out\n");
}

TEST_CASE("--out: other outputs may go into the folder that the run makes") {
  const std::string folder = written("made", "") + ".d/below";
  CHECK(run_kbsim(kMainJob + " --dry-run --out " + folder + " --oplog " + folder + "/run.oplog").exit == 0);
  CHECK(!std::filesystem::exists(folder));
  CHECK(run_kbsim(kMainJob + " --out " + folder + " --oplog " + folder + "/run.oplog").exit == 0);
  CHECK(run_kbsim("replay " + folder + "/run.oplog").exit == 0);
  std::filesystem::remove_all(folder);
  CHECK(run_kbsim("--topology topology.yaml --bench ccl -e 1K --out " + folder + "/ -J " + folder +
                  "/nccl.json")
            .exit == 0);
  CHECK(run_kbsim(kMainJob + " --out " + folder + "2 --oplog " + folder + "3/run.oplog").exit == 2);
}

TEST_CASE("--verify-data: its lines are in the JSON, too") {
  for (const char* bench : {"ccl_allreduce", "gemm_single_pe", "qkv_gemm", "va_offset_verify"}) {
    CAPTURE(bench);
    const std::string run = std::string{"--topology topology.yaml --verify-data --quiet --bench "} + bench;
    const Outcome text = run_kbsim(run);
    const Outcome json = run_kbsim(run + " --json");
    const boost::json::value all = boost::json::parse(json.out);
    const auto& lines = all.at("tensors").as_array();
    REQUIRE(!lines.empty());
    for (const auto& line : lines) {
      CHECK(line.as_string().find(" ok") != std::string::npos);
      CHECK(text.out.find("  " + std::string{line.as_string()} + "\n") != std::string::npos);
    }
  }
}

TEST_CASE("--out: a folder is one run's at a time, and free again when that has been killed") {
  const Outcome outcome = run_script(
      "rm -rf one; mkfifo hold; "
      "timeout 60 $KBSIM " +
      kMainJob +
      " --quiet --out one --oplog hold >first 2>&1 & first=$!; "
      "until test -s one/.kbsim.lock; do sleep 0.01; done; holder=$(cat one/.kbsim.lock); "
      "for other in '" +
      kMainJob +
      "' 'traffic --topology topology.yaml --scope link --load 0.5 --packets 9 "
      "--warmup 0' '--topology topology.yaml --bench ccl -e 1K'; do "
      "timeout 60 $KBSIM $other --quiet --out one; test $? = 2 || echo not refused; done; "
      "kill -9 $holder; wait $first; echo holder $holder; test -e one/.kbsim.lock && echo left; "
      "echo half >one/.kbsim-$holder-7.part; "
      "timeout 60 $KBSIM " +
      kMainJob + " --quiet --out one >/dev/null; echo exit $?; ls -A one; rm -rf one hold first");
  const std::size_t at = outcome.out.find("holder ");
  REQUIRE_MESSAGE(at == 0, outcome.out);
  const std::string holder = outcome.out.substr(7, outcome.out.find('\n') - 7);
  CHECK_MESSAGE(outcome.out.find("left\nexit 0\nconfig.resolved.yaml\n") != std::string::npos, outcome.out);
  CHECK(outcome.out.find(".kbsim.lock") == std::string::npos);
  const std::string refusal = "--out one: another run (process " + holder + ") is writing there";
  std::size_t refusals = 0;
  for (std::size_t i = outcome.err.find(refusal); i != std::string::npos;
       i = outcome.err.find(refusal, i + 1))
    ++refusals;
  CHECK_MESSAGE(refusals == 3, outcome.err);
}

TEST_CASE("--out: what a killed run had started may end a little later; the next run waits for it") {
  const std::string beside =
      "mkdir -p one; for holder in 999999999 $$; do echo $holder >one/.kbsim.lock; "
      "flock one/.kbsim.lock sleep 0.4 & "
      "until ! flock -n one/.kbsim.lock true; do sleep 0.01; done; $KBSIM " +
      kMainJob + " --quiet --out one >/dev/null; echo $?; wait; done; rm -rf one";
  CHECK(run_script(beside).out == "0\n2\n");
}

TEST_CASE("--out: of those that share a folder, one that has ended isn't named") {
  const std::string beside =
      "mkdir shared; echo 999999999 >shared/.kbsim.lock; flock --shared shared/.kbsim.lock sleep 2 & "
      "until ! flock -n shared/.kbsim.lock true; do sleep 0.01; done; $KBSIM " +
      kMainJob + " --out shared; wait; rm -r shared";
  CHECK(run_script(beside).err ==
        "kbsim: --out shared: another run is writing there; wait for it, or name another folder\n");
}

TEST_CASE("--out: a link in place of the lock is named, wherever it leads") {
  const Outcome linked = run_script("mkdir linked; ln -s /dev/null linked/.kbsim.lock; $KBSIM " + kMainJob +
                                    " --out linked; echo $?; rm -r linked");
  CHECK(linked.out == "2\n");
  CHECK_MESSAGE(linked.err.find("remove the link 'linked/.kbsim.lock'") != std::string::npos, linked.err);
}

TEST_CASE("Arguments: an empty one is reported as empty") {
  const std::pair<std::string, std::string> all[] = {
      {"replay ''", "kbsim: FILE is given nothing; usage: kbsim replay FILE [options]\n"},
      {"check ''", "kbsim: DIR is given nothing; usage: kbsim check DIR [options]\n"},
      {kMainJob + " ''", "kbsim: unexpected argument ''; leave it out\n"},
      {kMainJob + " =x", "kbsim: unexpected argument '=x'; see --help\n"}};
  for (const auto& [command, printed] : all) {
    const Outcome outcome = run_kbsim(command);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err == printed);
  }
}

TEST_CASE("Options: one that is given nothing is refused") {
  for (const char* option : {"--oplog", "--out", "--algorithm", "--ccl"}) {
    const Outcome outcome = run_kbsim(kMainJob + " " + option + " ''");
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(std::string{option} + " is given nothing") != std::string::npos);
  }
  for (const char* command : {"topology topology.yaml --out ''", "replay ''", "list --plugin ''",
                              "topology topology.yaml --set ''"}) {
    const Outcome outcome = run_kbsim(command);
    CHECK(outcome.exit == 2);
    CHECK_MESSAGE(outcome.err.find(" is given nothing") != std::string::npos, outcome.err);
  }
}

TEST_CASE("--dry-run: finds what only the machine itself notices") {
  const std::string file = written("contradiction.yaml",
                                   "schema_version: 1\ncube: {hbm_ctrl: {impl: builtin.hbm_banks, "
                                   "trc_ns: 1.0}}\n");
  CHECK(run_kbsim("--topology " + file + " --bench ccl_allreduce --dry-run").exit == 2);
}

TEST_CASE("Outputs: two of them don't have one path") {
  const std::string out = written("twice", "") + ".d";
  for (const char* name : {"/summary.json", "/run.json", "/results.csv", ""}) {
    CAPTURE(name);
    const Outcome outcome = run_kbsim(kMainJob + " --out " + out + " --oplog " + out + name);
    CHECK(outcome.exit == 2);
    CHECK_MESSAGE(outcome.err.find("--out writes a file of that name") != std::string::npos, outcome.err);
  }
  CHECK(run_kbsim(kMainJob + " --quiet --out " + out + " --oplog " + out + "/run.oplog").exit == 0);
}

TEST_CASE("Outputs: two names of one file that isn't there yet are reported") {
  for (const std::string two :
       {"--oplog ./t.json --trace t.json", "--oplog t.json --trace link.json",
        "--out new --oplog ./new/results.csv", "--out new/ --oplog new/results.csv",
        "--out link --oplog new/results.csv", "--trace ./new/rank0.json --trace-dir new"}) {
    CAPTURE(two);
    const Outcome outcome = run_script("ln -sfn t.json link.json; mkdir -p new; ln -sfn new link; $KBSIM " +
                                       kMainJob + " --quiet " + two);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(" name") != std::string::npos);
  }
}

TEST_CASE("Outputs: a device without an end is no op log") {
  const Outcome outcome = run_kbsim("replay /dev/zero --max-memory 100MiB");
  CHECK(outcome.exit == 4);
  CHECK_MESSAGE(outcome.err.find("reading /dev/zero: kbsim holds") != std::string::npos, outcome.err);
}

TEST_CASE("Outputs: a stderr that takes nothing ends no run, a stdout that takes nothing does") {
  CHECK(run_kbsim(kMainJob + " 2>/dev/full").exit == 0);
  CHECK(run_kbsim(kMainJob + " --quiet 2>/dev/full").exit == 0);
  CHECK(run_kbsim("list >/dev/full").exit == 2);
}

TEST_CASE("--out: a run that fails leaves nothing in an earlier one's folder that looks like its own") {
  const std::string folder = written("failed-behind", "") + ".d";
  const std::string run = kMainJob + " --quiet --out " + folder;
  REQUIRE(run_kbsim(run).exit == 0);
  CHECK(!std::filesystem::exists(folder + "/PARTIAL"));
  CHECK(run_kbsim(run + " --stop-at 100").exit == 4);
  CHECK(std::filesystem::exists(folder + "/PARTIAL"));
  for (const char* name : {"run.json", "summary.json", "results.csv"})
    CHECK(!std::filesystem::exists(folder + "/" + name));
  CHECK(run_kbsim("check " + folder).exit == 2);
  REQUIRE(run_kbsim(run).exit == 0);
  CHECK(!std::filesystem::exists(folder + "/PARTIAL"));
}

}  // namespace kbsim::contract::outputs_test
