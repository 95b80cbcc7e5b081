#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"

namespace kbsim::contract::bad_input_test {

using namespace kbsim::test;

namespace {

const std::string kSilent = " --plugin " KBSIM_BINARY "/contract/plugins/plugin_silent.so";

// Checks that the command exits 2, prints nothing on stdout, and prints each of these on stderr.
void refuses(const std::string& arguments, const std::vector<std::string>& says) {
  const Outcome outcome = run_kbsim(arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  for (const std::string& text : says) CHECK_MESSAGE(outcome.err.find(text) != std::string::npos, text);
}

void refuses_change(const std::string& from, const std::string& to, const std::vector<std::string>& says) {
  refuses("--topology " + changed_topology(from, to) + " --bench ccl_allreduce", says);
}

}  // namespace

TEST_CASE("Bad input: a missing file says where it was looked for") {
  refuses("--topology nowhere.yaml --bench ccl_allreduce", {"nowhere.yaml"});
}

TEST_CASE("Bad input: a file or folder that can't be read is reported with the reason") {
  const std::string name(300, 'a');
  const std::string small = "--bench ccl_allreduce --topology ";
  for (const std::string& reads :
       {small, small + "topology.yaml --ccl ", std::string{"--bench gemm --layers "},
        std::string{"--bench chakra --workload "}, std::string{"traffic --trace "},
        std::string{"fit --trace "}, std::string{"report "}, std::string{"check "}, std::string{"import "},
        std::string{"replay "}, std::string{"ccl import "}}) {
    CAPTURE(reads);
    const Outcome outcome = run_kbsim(reads + name);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find(name + ": can't be read: File name too long") != std::string::npos);
  }
}

TEST_CASE("Bad input: broken YAML names its place") {
  const std::string file = written("broken.yaml", "system:\n  sips: {count: 2\nsip: [\n");
  refuses("--topology " + file + " --bench ccl_allreduce", {"broken.yaml:"});
}

TEST_CASE("Bad input: a file of another kind is reported by its kind, not by its keys") {
  refuses("--topology wormhole.yaml --bench ccl_allreduce",
          {"wormhole.yaml: the file describes NOCs of recorded traffic (kbsim traffic --trace, kbsim fit), "
           "expected a machine, as topology.yaml does"});
  refuses("--ccl topology.yaml --bench ccl_allreduce",
          {"topology.yaml: the file describes a machine, expected collective algorithms (--ccl), as ccl.yaml "
           "does"});
  refuses("traffic --scope file:" KBSIM_SOURCE_DIR "/configs/topology.yaml --load 0.1",
          {"the file describes a machine, expected a network of nodes and links"});
}

TEST_CASE("Bad input: a file that describes nothing of kbsim's is refused with the expected kind") {
  const std::string model = written("model.json", R"({"model_type": "llama", "hidden_size": 64, "a": 1})");
  const std::string has = "model.json: the file has model_type, hidden_size, a, expected ";
  refuses("traffic --scope mesh:8x8 --load 0.1 --topology " + model,
          {has + "a machine, as topology.yaml describes: schema_version, system, sip, cube, pe"});
  refuses("traffic --load 0.1 --scope file:" + model, {has + "a network of nodes and links"});
  refuses("--bench ccl_allreduce --ccl " + model, {has + "collective algorithms (--ccl)"});
  refuses("topology " + written("words.yaml", "version: 3\nservices: {}\n"),  // schema_version has that word
          {"words.yaml: the file has version, services, expected a machine"});
  // A single unknown key is reported; so is each key that resembles a machine's.
  refuses("--bench ccl_allreduce --topology " + written("one.yaml", "chips: 3\n"), {"chips: unknown key"});
  refuses("--bench ccl_allreduce --topology " + written("near.yaml", "sytem: 3\nx: 3\n"),
          {"sytem: unknown key, did you mean 'system'?"});
}

TEST_CASE("Bad input: a --set of a missing algorithm is refused with its name") {
  refuses(
      "--bench ccl_allreduce --set ccl.algorithms.p2p.n_slots=2",
      {"algorithms.p2p.kernel: found nothing, expected the name of a kernel: 'p2p' is an algorithm without "
       "one"});
}

TEST_CASE("Bad input: an unknown key gives the nearest one") {
  refuses_change("ns_per_mm:", "ns_per_m:", {"changed.yaml:", "ns_per_m", "did you mean 'ns_per_mm'?"});
}

TEST_CASE("Bad input: a wrong type says what was expected") {
  refuses("--topology topology.yaml --bench ccl_allreduce --set system.sips.count=two",
          {"system.sips.count", "two"});
}

TEST_CASE("Bad input: a negative bandwidth and a zero count are out of range") {
  refuses("--topology topology.yaml --bench ccl_allreduce --set cube.xbar_to_hbm_bw_gbs=-4",
          {"xbar_to_hbm_bw_gbs", "-4"});
  refuses("--topology topology.yaml --bench ccl_allreduce --set system.sips.count=0",
          {"system.sips.count", "0"});
}

TEST_CASE("Bad input: all mistakes of a run are reported together") {
  refuses(
      "--topology topology.yaml --bench ccl_allreduce --set system.sips.count=0 --set sip.cube_mesh.w=-1 "
      "--set ccl.defaults.n_slots=0",
      {"system.sips.count", "sip.cube_mesh.w", "n_slots"});
}

TEST_CASE("Bad input: an unknown bench, command, option or impl gives the nearest name") {
  refuses("--topology topology.yaml --bench ccl_alreduce",
          {"unknown bench 'ccl_alreduce', did you mean 'ccl_allreduce'?"});
  refuses("lits", {"unknown command 'lits', did you mean 'list'?"});
  refuses("--topology topology.yaml --bench ccl_allreduce --frobnicate", {"frobnicate", "--help"});
  refuses("--topolgy topology.yaml --bench ccl_allreduce",
          {"unknown option '--topolgy', did you mean '--topology'?"});
  refuses("--topology topology.yaml --bench ccl_allreduce --set cube.xbar.impl=builtin.xbra",
          {"builtin.xbar"});
}

TEST_CASE("Bad input: a model at a place of another kind is refused with its name") {
  refuses("--topology topology.yaml --bench ccl_allreduce --set cube.xbar.impl=builtin.switch",
          {"builtin.switch", "xbar"});
}

TEST_CASE("Bad input: without arguments the command teaches and exits 2") {
  const Outcome outcome = run_kbsim("");
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.find("usage: kbsim") != std::string::npos);
}

TEST_CASE("Limits: a simulated time or a number of events that is reached exits 4") {
  CHECK(run_kbsim(kMainJob + " --stop-at 100").exit == 4);
  CHECK(run_kbsim(kMainJob + " --max-events 1000").exit == 4);
  CHECK(run_kbsim(kMainJob + " --max-events 1")
            .err.starts_with(
                "kbsim: stopped at 0 ns after 1 event, the limit that was set; 1 process waits\n"));
}

TEST_CASE("Help: every command is named, and list names what is registered") {
  const Outcome help = run_kbsim("--help");
  CHECK(help.exit == 0);
  for (const char* command : {"run", "list", "probe", "traffic"})
    CHECK(help.out.find(command) != std::string::npos);
  const Outcome run_help = run_kbsim("run --help");
  CHECK(run_help.exit == 0);
  CHECK(run_help.out.find("--topology") != std::string::npos);
  const Outcome list = run_kbsim("list");
  CHECK(list.exit == 0);
  for (const char* name : {"ccl_allreduce", "intercube_allreduce", "builtin.router", "cube_mesh"}) {
    CHECK(list.out.find(name) != std::string::npos);
  }
}

TEST_CASE("Bad input: numbers of options are checked for range, negative ones too") {
  const std::string job = "--topology topology.yaml --bench ccl_allreduce ";
  refuses(job + "--num-threads -1", {"kbsim: --num-threads must be 0 to 1024, got -1"});
  refuses(job + "--num-threads 100000", {"kbsim: --num-threads must be 0 to 1024, got 100000"});
  refuses(job + "--max-events -5", {"kbsim: --max-events must be 0 to 9223372036854775807, got -5"});
  refuses(job + "--shuffle-ties -1", {"--shuffle-ties must be 0 to"});
  refuses(job + "--stop-at -3", {"kbsim: --stop-at must be a time from 0 on, got -3"});
  refuses(job + "--stop-at nan", {"kbsim: --stop-at must be a time from 0 on, got nan"});
  refuses(job + "--max-sim-time 1e300", {"kbsim: --max-sim-time: 1e+300 ns is beyond simulated time"});
  refuses(job + "--trace t.json --trace-window 0:inf",
          {"kbsim: --trace-window 0:inf: inf ns is beyond simulated time"});
  for (const char* time : {"inf", "1e300"})
    refuses(job + "--stop-at " + time, {"kbsim: --stop-at: ", " ns is beyond simulated time"});
}

TEST_CASE("Bad input: what an algorithm names must be there, even for a dry run") {
  const std::string set =
      "--topology topology.yaml --bench ccl_allreduce --dry-run "
      "--set ccl.algorithms.intercube_allreduce.";
  refuses(set + "kernel=intercube_alreduce",
          {"algorithms.intercube_allreduce.kernel: unknown kernel 'intercube_alreduce'",
           "did you mean 'intercube_allreduce'?"});
  refuses(set + "topology=cube_mes", {"unknown", "did you mean 'cube_mesh'?"});
  refuses(set + "mapper=leader_onl", {"unknown mapper 'leader_onl', did you mean 'leader_only'?"});
  refuses(set + "validator=none",
          {"unknown validator 'none' (known: any_placement, multi_pe_sip_local, single_shard_per_rank)"});
}

TEST_CASE("Bad input: a setting that is an option's name is refused with that option") {
  refuses("--bench tp_mlp --dry-run --set tokens=8",
          {"--set tokens=8: tokens: unknown key", "did you mean --bench tp_mlp's option --tokens?"});
  refuses("--bench gemm --dry-run --set checked-macs=8",
          {"did you mean --bench gemm's option --checked_macs?"});
  refuses("--bench llm --dry-run --set drawn_contexts=8-9",
          {"did you mean --bench llm's option --drawn-contexts?"});
  refuses("--bench ccl --dry-run --set b=1K", {"did you mean --bench ccl's option --minbytes?"});
  refuses("--bench chakra --dry-run --set workload=x", {"did you mean --bench chakra's option --workload?"});
  refuses("--bench ccl_allreduce --dry-run --set device=all", {"did you mean the option --device?"});
  refuses("whatif --quiet --bench tp_mlp --set tokens=8,16",
          {"did you mean --bench tp_mlp's option --tokens?"});
  refuses("--bench tp_mlp --dry-run --set --tokens=8", {"did you mean --bench tp_mlp's option --tokens?"});
  refuses("--bench ccl --dry-run --set -b=1K", {"did you mean --bench ccl's option --minbytes?"});
  const Outcome other = run_kbsim("--bench tp_mlp --dry-run --set system.sips.cnt=8");
  CHECK(other.exit == 2);
  CHECK(other.err.find("option") == std::string::npos);
}

TEST_CASE("Bad input: wrong names of an algorithm in a ccl file are reported with their lines, all at once") {
  const std::string file = written("names.yaml",
                                   "algorithms:\n  mine:\n    kernel: ring_alreduce\n    topology: ring_d\n"
                                   "    mapper: leader\n    validator: single\n"
                                   "  other: {kernel: nonesuch}\ndefaults:\n  algorithm: mine\n");
  for (const char* bench : {"ccl_allreduce", "ccl -b 1K -e 1K"}) {
    const Outcome outcome =
        run_kbsim("--topology topology.yaml --dry-run --ccl " + file + " --bench " + bench);
    CAPTURE(outcome.err);
    CHECK(outcome.exit == 2);
    for (const char* printed :
         {":3:13: algorithms.mine.kernel: unknown kernel 'ring_alreduce', did you mean 'ring_allreduce'?\n",
          ":4:15: algorithms.mine.topology: unknown neighbour topology 'ring_d', did you mean 'ring_1d'?\n",
          ":5:13: algorithms.mine.mapper: unknown mapper 'leader'",
          ":6:16: algorithms.mine.validator: unknown validator 'single'"})
      CHECK_MESSAGE(outcome.err.find(file + printed) != std::string::npos, printed);
    CHECK(outcome.err.find("nonesuch") == std::string::npos);  // nothing runs it
  }
}

TEST_CASE("Bad input: a ccl file without algorithms is reported, once") {
  const auto printed = [](const std::string& text) {
    const Outcome outcome = run_kbsim("--bench ccl_allreduce --ccl " + written("none.yaml", text));
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    return outcome.err.substr(outcome.err.find("none.yaml"));
  };
  const std::string found =
      "algorithms: found no algorithm, expected at least one, as NAME: {kernel: KERNEL}";
  CHECK(printed("defaults: {}\nalgorithms: {}\n").starts_with("none.yaml:2:13: " + found));
  CHECK(printed("algorithms:\n").starts_with("none.yaml:1:1: " + found));
  CHECK(printed("[]\n") == "none.yaml:1:1: found a list, expected a map with keys of defaults, algorithms\n");
}

TEST_CASE(
    "Bad input: an algorithm that a bench runs by itself, and the ccl file hasn't, is reported with the "
    "bench") {
  const std::string file =
      written("mine.yaml",
              "defaults: {algorithm: mine}\nalgorithms: {mine: {kernel: ring_allreduce, topology: "
              "ring_1d, mapper: leader_only, validator: any_placement}}\n");
  refuses("--bench tp_mlp --ccl " + file,
          {"--bench tp_mlp runs algorithm 'ring_allreduce_tcm', which the ccl file hasn't: it has mine"});
  // This bench runs the algorithms of the file, whichever they are.
  const Outcome all = run_kbsim("--bench milestone-1h-ccl --out o --buffer-kind tcm --quiet --ccl " + file);
  CHECK_MESSAGE(all.exit == 0, all.err);
}

TEST_CASE("Bad input: a number that an option doesn't take is reported with its range") {
  const std::string whole = "must be a whole number, 0 to 9223372036854775807, got ";
  for (const char* value : {"1K", "0x5", "9223372036854775808", "-9223372036854775809"})
    refuses(kMainJob + " --shuffle-ties " + value, {fmt::format("--shuffle-ties {}'{}'", whole, value)});
  refuses(kMainJob + " --max-events many", {"--max-events " + whole + "'many'"});
  refuses(kMainJob + " --stop-at 1us", {"--stop-at must be a number of ns, without a unit, got '1us'"});
  refuses("sweep --timeout 10s", {"--timeout must be a number of seconds, without a unit, got '10s'"});
  refuses("traffic --scope link --load 50%", {"--load must be a number, as 0.05 for 5 %, got '50%'"});
  refuses("traffic --scope link --load half", {"--load must be a number, got 'half'"});
}

TEST_CASE("Bad input: a number out of its range and a text that is none are refused in one form") {
  const std::string what_if = "whatif " + kMainJob + " --what ideal ";
  for (const auto& [command, option, range] :
       {std::tuple{kMainJob + " ", "--num-threads", "0 to 1024"},
        {std::string{"traffic --scope link --load 0.5 "}, "--num-threads", "0 to 1024"},
        {std::string{"traffic --scope hbm "}, "--outstanding", "1 to 50000000"},
        {std::string{"traffic --scope link "}, "--outstanding", "1 to 65536"},
        {std::string{"replay run.oplog "}, "--num-threads", "0 to 1024"},
        {std::string{"fit --trace traces "}, "--rounds", "0 to 100"},
        {std::string{"ccl export ring_all_gather "}, "--ranks", "2 to 256"},
        {std::string{"sweep "}, "--jobs", "1 to 1024"},
        {what_if, "--jobs", "0 to 1024"},
        {std::string{"solve --bench ccl_allreduce "}, "--runs", "2 to 10000"}}) {
    const std::string asks = command + option;
    refuses(asks + " two", {fmt::format("kbsim: {} must be a whole number, {}, got 'two'\n", option, range)});
    refuses(asks + " -1", {fmt::format("kbsim: {} must be {}, got -1\n", option, range)});
  }
}

TEST_CASE("Bad input: each mistake in the configuration is a line that says whose it is") {
  const Outcome outcome = run_kbsim(kMainJob + " --set system.sips.count=x --set cube.noc.w=x");
  CHECK(outcome.exit == 2);
  CHECK(
      outcome.err ==
      "kbsim: --set cube.noc.w=x: cube.noc.w: found 'x', expected an integer from 1 to 64\n"
      "kbsim: --set system.sips.count=x: system.sips.count: found 'x', expected an integer from 1 to 256\n");
  CHECK(run_kbsim("topology none.yaml").err.starts_with("kbsim: none.yaml: no such file; "));
}

TEST_CASE("Bad input: a wrong model is reported with the models that fit there") {
  refuses(kMainJob + " --set cube.noc.router.arbiter=oldest_first",
          {"cube.noc.router.arbiter: unknown key of builtin.router; models that have it: builtin.router_iq, "
           "builtin.router_vc\n"});
  refuses(kMainJob + " --set cube.hbm_ctrl.bw_gbs=3", {"unknown key (known: efficiency, "});
  refuses(kMainJob + " --set cube.hbm_ctrl.impl=nothing",
          {"unknown model 'nothing' (known: builtin.hbm_banks, builtin.hbm_ctrl)"});
  refuses(kMainJob + " --set system.routing.impl=nothing",
          {"unknown model 'nothing' (known: builtin.table, builtin.xy, builtin.yx)"});
  const std::string part = " --set cube.parts.ticker.model.impl=nothing";
  refuses(kMainJob + part,
          {"unknown model 'nothing': no model of a part is known; one of your own comes with --plugin FILE"});
  refuses(kMainJob + part + kSilent, {"unknown model 'nothing' (known: silent.part)"});
}

TEST_CASE("Bad input: a model that can't be explained is reported with the missing part") {
  const Outcome outcome = run_kbsim(kMainJob + " --explain --set cube.hbm_ctrl.impl=silent" + kSilent);
  CHECK(outcome.exit == 5);
  CHECK(outcome.err.find("a silent, doesn't say why its requests wait: IMemoryTiming::lanes() or "
                         "keep_causes()\n") != std::string::npos);
}

TEST_CASE("Bad input: a part that doesn't say why it waits is named by what it does next") {
  const Outcome outcome =
      run_kbsim(kMainJob + " --explain --set cube.parts.ticker.model.impl=silent.part" + kSilent);
  CHECK(outcome.exit == 5);
  const std::string named =
      "the cause of 100000 ns isn't recorded, when overhead begins at sip0.cube1.ticker; a host "
      "program";
  CHECK_MESSAGE(outcome.err.find(named) != std::string::npos, outcome.err);
}

TEST_CASE("Bad input: a part that doesn't say why it waits last of all is named by what it did before") {
  const Outcome outcome =
      run_kbsim(kMainJob + " --explain --set cube.parts.waiter.model.impl=silent.part" + kSilent);
  CHECK(outcome.exit == 5);
  const std::string named =
      "isn't recorded, 200000 ns after wire at sip0.cube0.noc.r2_2>sip0.cube0.waiter; a host program";
  CHECK_MESSAGE(outcome.err.find(named) != std::string::npos, outcome.err);
}

TEST_CASE("Bad input: each line of a configuration's mistakes begins with the command, then its place") {
  const Outcome outcome = run_kbsim(kMainJob + " --set sip.cube_mesh.w=-1 --set ccl.defaults.n_slots=0");
  CHECK(outcome.err ==
        "kbsim: --set sip.cube_mesh.w=-1: sip.cube_mesh.w: found '-1', expected an integer from 1 to 32\n"
        "kbsim: --set ccl.defaults.n_slots=0: defaults.n_slots: found '0', expected an integer from 1 to "
        "65536\n");
}

TEST_CASE("Output: a result that can't be written is an error, not a success") {
  const Outcome outcome = run_script("timeout 60 $KBSIM " + kMainJob + " --json --quiet >/dev/full");
  CHECK(outcome.exit != 0);
  CHECK(outcome.err.find("could not be written") != std::string::npos);
}

TEST_CASE("Bad input: a probe that can't be is refused before anything is printed") {
  refuses("probe --topology topology.yaml --case pe-locl-hbm", {"did you mean 'pe-local-hbm'?"});
  refuses("probe --topology topology.yaml --bytes 0", {"at least one byte"});
  refuses("probe --topology topology.yaml --shuffle-ties -1", {"--shuffle-ties must be 0 to"});
  refuses("probe --topology topology.yaml --case pe-other-sip-hbm --set system.sips.count=1",
          {"needs two packages"});
}

TEST_CASE("Probe: a transfer that no memory could hold is refused before anything runs") {
  for (const char* more :
       {"--case pe-tcm --bytes 32MiB", "--case h2d-write --bytes 100GiB", "--bytes 1TiB"}) {
    CAPTURE(more);
    const Outcome outcome = run_kbsim(std::string{"probe --topology topology.yaml "} + more);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("--bytes") != std::string::npos);
  }
  // With several cases, the reported limit is the smallest of theirs.
  refuses("probe --bytes 1TiB",
          {"--bytes 1 TiB: expected at most 6 MiB, what the memories of pe-tcm have room for"});
}

TEST_CASE("Bad input: a mistyped evaluation gives its name, as a mistyped bench does") {
  refuses("--topology topology.yaml --bench milestone-1h-gem", {"did you mean 'milestone-1h-gemm'"});
  refuses("--topology topology.yaml --bench gemm_single_p", {"did you mean 'gemm_single_pe'"});
}

TEST_CASE("Bad input: what is given twice, to the wrong command or without its half is reported") {
  const auto refuses = [](const std::string& arguments, const std::string& error) {
    const Outcome outcome = run_kbsim(arguments);
    CAPTURE(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err == "kbsim: " + error + "\n");
  };
  refuses("whatif " + kMainJob + " --set system.sips.count=3 --set system.sips.count=3",
          "--set system.sips.count=3: is given twice");
  refuses("probe --case pe-tcm,pe-local-hbm",
          "--case pe-tcm,pe-local-hbm: is a single case; several are --case A --case B");
  refuses("probe --bytes -4", "--bytes: '-4' is not a size; expected a number like 4096, 4KiB, 16MiB or 1G");
  refuses("traffic --scope link --load 0.5 --bytes 16,x",
          "--bytes: 'x' is not a size; expected a number like 4096, 4KiB, 16MiB or 1G");
  refuses("ccl export ring_allreduce_tcm", "--ranks N is missing: of how many ranks the plan is to be");
  refuses("solve " + kMainJob + " --target 'latency<=600' --vary system.sips.count=2,3",
          "--target latency<=600: expected a unit, as latency<=600ns");
  refuses(
      "solve " + kMainJob + " --target 'latency<=1e300s' --vary system.sips.count=2,3",
      "--target latency<=1e300s: expected METRIC<=NUMBER or METRIC>=NUMBER with a unit, as latency<=20us");
  refuses("topology topology.yaml topology.yaml",
          "unexpected argument 'topology.yaml'; usage: kbsim topology [FILE] [options]");
  refuses("sweep --bench ccl_allreduce --out s --algorithm a,b",
          "unknown option '--algorithm'; options of kbsim run and of the bench come after --, or are varied: "
          "--vary OPTION=VALUES");
  const std::string folder = written("no-sweep", "") + ".d";
  std::filesystem::create_directories(folder);
  refuses("sweep merge " + folder, folder + ": isn't what kbsim sweep wrote with --out: it has no plan.json");
}

}  // namespace kbsim::contract::bad_input_test
