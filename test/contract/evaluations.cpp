// Benches of many simulations: rows, files, figures, and making them again.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "files.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::evaluations_test {

using namespace kbsim::test;

namespace {

const std::string kGemm = "--topology topology.yaml --bench milestone-1h-gemm --quiet ";

boost::json::array rows(const std::string& text) { return boost::json::parse(text).at("rows").as_array(); }

double number(const boost::json::value& row, const char* key) { return row.at(key).to_number<double>(); }

// One run for all tests: it has 24 simulations.
struct Made {
  std::string folder;
  std::string text;
};

const Made& made() {
  static const Made once = [] {
    std::string path = written("gemm-out", "") + ".d";
    const Outcome outcome = run_kbsim(kGemm + "--out " + path);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return Made{path, outcome.out};
  }();
  return once;
}

const std::string& folder() { return made().folder; }

}  // namespace

TEST_CASE("milestone-1h-gemm: 24 simulations, all right, under-tile shapes marked" *
          doctest::skip(kbsim::test::kSanitized)) {
  const boost::json::array all = rows(contents(folder() + "/summary.json"));
  REQUIRE(all.size() == 24);
  int under = 0;
  for (const auto& row : all) {
    CAPTURE(boost::json::serialize(row));
    CHECK(row.at("correct").as_bool());
    const std::int64_t m = row.at("m").to_number<std::int64_t>();
    const std::int64_t k = row.at("k").to_number<std::int64_t>();
    const std::int64_t n = row.at("n").to_number<std::int64_t>();
    CHECK(row.at("under_tile").as_bool() == (m < 32 || k < 64 || n < 32));
    under += row.at("under_tile").as_bool() ? 1 : 0;
    CHECK(number(row, "tiles") == ((m + 31) / 32) * ((k + 63) / 64) * ((n + 31) / 32));
  }
  CHECK(under > 0);
  CHECK(under < 24);
}

TEST_CASE("milestone-1h-gemm: nothing beats the engine, the window or the ideal pipeline") {
  for (const auto& row : rows(contents(folder() + "/summary.json"))) {
    CAPTURE(boost::json::serialize(row));
    CHECK(number(row, "gemm_busy_ns") == 16.0 * number(row, "tiles"));
    CHECK(number(row, "mac_utilization") <= 1.0);
    CHECK(number(row, "useful_efficiency") <= number(row, "mac_utilization"));
    CHECK(number(row, "composite_window_ns") >= number(row, "ideal_ns"));
    CHECK(number(row, "pe_window_ns") >= number(row, "composite_window_ns"));
    CHECK(row.at("dma_in_busy_ns").is_null() == (row.at("staging") == "load_load"));
  }
}

TEST_CASE("milestone-1h-gemm: the model's constants come from the topology file alone" *
          doctest::skip(kbsim::test::kSanitized)) {
  const auto ideal = [](const std::string& set) {
    const Outcome outcome = run_kbsim(kGemm + "--json " + set);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    return number(rows(outcome.out).front(), "ideal_ns");
  };
  const double before = ideal("");
  CHECK(ideal("--set pe.pe_gemm.macs_per_ns=2048") > before);
  CHECK(ideal("--set cube.hbm_ctrl.efficiency=0.4") > before);
}

TEST_CASE(
    "milestone-1h-gemm: a systolic array in place of the engine: its fill and drain, the same products" *
    doctest::skip(kbsim::test::kSanitized)) {
  const Outcome outcome = run_kbsim(kGemm + "--json --set pe.pe_gemm.impl=builtin.pe_gemm_systolic");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  for (const auto& row : rows(outcome.out)) {
    CAPTURE(boost::json::serialize(row));
    CHECK(number(row, "gemm_busy_ns") == (2.0 * 64 + 64 + 32 - 2) * number(row, "tiles"));
    CHECK(number(row, "composite_window_ns") >= number(row, "ideal_ns"));
    // A tile of 32 x 64 x 32 uses one in 14 of the 64 x 64 multiply-accumulates a cycle.
    CHECK(number(row, "mac_utilization") <= 32.0 * 64 * 32 / (222.0 * 64 * 64));
  }
}

TEST_CASE("milestone-1h-gemm: every file is there, figures too if gnuplot is") {
  for (const char* file : {"summary.json", "results.csv", "run.json", "config.resolved.yaml"})
    CHECK_MESSAGE(std::filesystem::exists(folder() + "/" + file), file);
  const Outcome gnuplot = run_script("command -v gnuplot");
  for (const char* figure : {"gemm_stage_busy_simulated", "gemm_mac_utilization_simulated",
                             "gemm_mac_utilization_ideal_and_simulated"}) {
    for (const char* made : {".csv", ".gp"})
      CHECK_MESSAGE(std::filesystem::exists(folder() + "/" + figure + made), figure);
    for (const char* drawn : {".png", ".svg"})
      CHECK(std::filesystem::exists(folder() + "/" + figure + drawn) == (gnuplot.exit == 0));
  }
}

TEST_CASE("--reuse: the same text and figures from the rows of an earlier run; else a clear refusal") {
  const std::string figure = folder() + "/gemm_mac_utilization_simulated.csv";
  const std::string before = contents(figure);
  std::filesystem::remove(figure);
  const Outcome again = run_kbsim(kGemm + "--reuse --out " + folder());
  REQUIRE_MESSAGE(again.exit == 0, again.err);
  CHECK(contents(figure) == before);
  CHECK(again.out == made().text);

  CHECK(run_kbsim(kGemm + "--reuse").exit == 2);
  CHECK(run_kbsim(kGemm + "--reuse --out " + written("nothing", "") + ".d").exit == 2);
  const std::string other = written("other-rows", "") + ".d";
  std::filesystem::create_directory(other);
  for (const char* text : {"", "[]", "{", R"({"bench": "milestone-1h-gemm", "rows": [{}]})",
                           R"({"bench": "another", "rows": []})"}) {
    CAPTURE(text);
    std::ofstream{other + "/summary.json"} << text;
    const Outcome refused = run_kbsim(kGemm + "--reuse --out " + other);
    CHECK(refused.exit == 2);
    CHECK(refused.err.find("--reuse") != std::string::npos);
  }
  CHECK(run_kbsim(kMainJob + " --reuse").exit == 2);
}

TEST_CASE("Evaluations: an option of single simulations is refused by its name") {
  const std::string limits = "; --max-memory limits them all, and Ctrl-C keeps the rows that have ended";
  const std::string trace = ", or to --bench ccl of one size, as -b 4K -e 4K";
  for (const auto& [option, more] : {std::pair<std::string, std::string>{"--stop-at 10", limits},
                                     {"--max-sim-time 10", limits},
                                     {"--max-events 10", limits},
                                     {"--race warn", ""},
                                     {"--race error", ""},
                                     {"--oplog o.oplog", ""},
                                     {"--dump-queues", ""},
                                     {"--chakra d", ""},
                                     {"--explain --recheck", ""},
                                     {"--trace t.json", trace},
                                     {"--trace-dir d", trace}}) {
    const Outcome refused = run_kbsim(kGemm + option);
    CHECK(refused.exit == 5);
    const std::size_t name = option.rfind("--");
    CHECK(
        refused.err ==
        "kbsim: " + option.substr(name, option.find(' ', name) - name) +
            ": milestone-1h-gemm is an evaluation and doesn't take it, even with one simulation: give it to "
            "a bench, as --bench gemm_single_pe" +
            more + "\n");
  }
}

TEST_CASE("Evaluations: no races are looked for, and --race off says no more") {
  CHECK(run_kbsim(kGemm + "--race off --dry-run").exit == 0);
}

TEST_CASE("Evaluations: each names a bench of one simulation that there is") {
  for (const char* name :
       {"ccl", "gemm", "attention", "tp_mlp", "llm", "milestone-1h-ccl", "milestone-1h-gemm"}) {
    const Outcome refused = run_kbsim(std::string{"--topology topology.yaml --race error --bench "} + name);
    CAPTURE(refused.err);
    CHECK(refused.exit == 5);
    const std::size_t like = refused.err.find(", as --bench ");
    REQUIRE(like != std::string::npos);
    const std::string bench = refused.err.substr(like + 13, refused.err.find('\n') - like - 13);
    CHECK(run_kbsim("--topology topology.yaml --dry-run --race error --bench " + bench).exit == 0);
  }
}

TEST_CASE("Evaluations: the hint about --trace works, also to one that has a single simulation") {
  const Outcome refused = run_kbsim("--topology topology.yaml --bench tp_mlp --ranks 1 --trace t.json");
  CHECK(refused.exit == 5);
  CHECK(refused.err ==
        "kbsim: --trace: tp_mlp is an evaluation and doesn't take it, even with one simulation: give it to a "
        "bench, as --bench ccl_allreduce, or to --bench ccl of one size, as -b 4K -e 4K\n");
  for (const char* printed : {"ccl_allreduce", "ccl -b 4K -e 4K"})
    CHECK(run_kbsim(std::string{"--topology topology.yaml --trace t.json --bench "} + printed).exit == 0);
}

TEST_CASE("Evaluations: the hint about --parallel-bound has a single simulation") {
  for (const auto& [bench, alone] : {std::pair{"tp_mlp", "--ranks 1"},
                                     std::pair{"attention", "--panel multi_user_decode --ranks 1 --s_kv 1"},
                                     std::pair{"ccl", "-b 4K -e 4K -o sum"}}) {
    CAPTURE(bench);
    const std::string command = std::string{"--topology topology.yaml --parallel-bound --bench "} + bench;
    CHECK(run_kbsim(command).exit == 2);
    CHECK(run_kbsim(command + " " + alone).exit == 0);
  }
}

TEST_CASE("gemm: a line of a layer list that begins with # and looks like a row is named") {
  const Outcome outcome = run_kbsim(
      "--quiet --bench gemm --layers " +
      written("commented.csv", "# sizes of a toy\nLayer,M,N,K\n#1,10,20,30\n# the second one\na,1,1,1\n"));
  CHECK(outcome.exit == 0);
  CHECK_MESSAGE(
      outcome.err.find("commented.csv:3:1: a comment, since it begins with '#'; no layer is read") !=
          std::string::npos,
      outcome.err);
  CHECK(outcome.err.find(":1:1: ") == std::string::npos);
  CHECK(outcome.err.find(":4:1: ") == std::string::npos);
}

TEST_CASE("gemm: a layer alone isn't one after the other") {
  const Outcome one =
      run_kbsim("--quiet --bench gemm --layers " + written("one.csv", "Layer,M,N,K,\nL0,1,1,1,\n"));
  CHECK(one.exit == 0);
  CHECK_MESSAGE(one.out.find("\n  1 layer: ") != std::string::npos, one.out);
}

TEST_CASE("tp_mlp: the head names the part that runs, other PEs' number is refused") {
  const std::string command = "--topology topology.yaml --quiet --bench tp_mlp --ranks 1";
  const Outcome outcome = run_kbsim(command + " --verify-data");
  CHECK_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK_MESSAGE(outcome.out.find("; 1 PE of each package runs\n") != std::string::npos, outcome.out);
  const Outcome refused = run_kbsim(command + " --set cube.pe_layout.pe_per_corner=4");
  CHECK(refused.exit == 2);
  CHECK_MESSAGE(refused.err.find(": 1 PE of each package runs") != std::string::npos, refused.err);
}

TEST_CASE("Evaluations: --bench tp_transformer_block is refused with the names of benches") {
  const Outcome refused = run_kbsim("--topology topology.yaml --bench tp_transformer_block");
  CHECK(refused.exit == 2);
  CHECK(refused.out.empty());
  CHECK_MESSAGE(refused.err.starts_with("kbsim: unknown bench 'tp_transformer_block'"), refused.err);
  CHECK_MESSAGE(refused.err.find("llm, ") != std::string::npos, refused.err);
}

TEST_CASE("Benches of GEMMs: each is right, and says so line by line when asked") {
  for (const char* bench : {"gemm_single_pe", "gemm_single_pe --set pe.pe_gemm.impl=builtin.pe_gemm_systolic",
                            "qkv_gemm", "qkv_gemm_multi_pe", "va_offset_verify"}) {
    CAPTURE(bench);
    const std::string command = std::string{"--topology topology.yaml --bench "} + bench;
    const Outcome outcome = run_kbsim(command + " --verify-data");
    CHECK_MESSAGE(outcome.exit == 0, outcome.err);
    CHECK(outcome.out.find(" ok") != std::string::npos);
    CHECK(outcome.out.find("FAIL") == std::string::npos);
  }
}

TEST_CASE(
    "attention: four panels, right everywhere; what engines and neighbours take is no more than there is") {
  const std::string out = written("attention-out", "") + ".d";
  const std::string command = "--topology topology.yaml --bench attention --quiet --ranks 4 --s_kv 24 ";
  const Outcome outcome = run_kbsim(command + "--out " + out);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::array all = rows(contents(out + "/summary.json"));
  CHECK(all.size() == 4 * 3 * 3);
  for (const auto& row : all) {
    CAPTURE(boost::json::serialize(row));
    CHECK(row.at("correct").as_bool());
    CHECK(number(row, "max_error") > 0.0);
    CHECK(number(row, "compute_share") > 0.0);
    CHECK(number(row, "compute_share") + number(row, "communication_share") <= 1.0);
    CHECK((number(row, "ranks") > 1.0 || number(row, "communication_share") == 0.0));
  }
  for (const char* figure :
       {"attention_time_and_ranks", "attention_time_and_keys", "attention_communication_and_compute"})
    CHECK_MESSAGE(std::filesystem::exists(out + "/" + figure + ".csv"), figure);
  CHECK(run_kbsim(command + "--reuse --out " + out).out == outcome.out);
}

TEST_CASE("attention: sizes that don't fit are refused, naming both numbers") {
  const std::string bench = "--topology topology.yaml --bench attention --dry-run ";
  for (const auto& [options, why] :
       {std::pair{"--h_q 3", "3 heads of queries can't share 2 of keys evenly"},
        {"--ranks 16", "16 ranks, but there are 8 PEs in a cube; --ranks 8 is the most\n"},
        {"--ranks 64", "64 ranks, but there are 8 PEs in a cube"},
        {"--panel multi_user_decode --ranks 32", "32 ranks, but there are 16 cubes in a package"},
        {"--d_head 2048", "2048 elements of f32 don't fit a slot of 4 KiB"},
        {"--panel single_user_prefill --ranks 1 --s_kv 4096",
         "more than the TCM of a PE has room for, 12 MiB"},
        {"--panel prefill", "--panel prefill: expected single_user_prefill"},
        {"--s_q 33 --s_kv 32", "causal attention has more queries than keys"},
        {"--set system.sips.count=4", "it runs on one package"},
        {"--algorithm ring_allreduce_tcm", "attention runs no collective"}}) {
    CAPTURE(options);
    const Outcome outcome = run_kbsim(bench + options);
    CHECK(outcome.exit == 2);
    CHECK_MESSAGE(outcome.err.find(why) != std::string::npos, outcome.err);
  }
}

TEST_CASE("tp_mlp: right on any number of packages, and more than one sums up") {
  const Outcome outcome = run_kbsim(
      "--topology topology.yaml --bench tp_mlp --quiet --json --ranks 2 --tokens 4 --hidden 32 --ffn 64");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::array all = rows(outcome.out);
  REQUIRE(all.size() == 2);
  for (const auto& row : all) {
    CHECK(row.at("correct").as_bool());
    const double steps = number(row, "fc1_us") + number(row, "activation_us") + number(row, "fc2_us") +
                         number(row, "all_reduce_us");
    CHECK(steps == doctest::Approx(number(row, "time_us")));
    CHECK((number(row, "ranks") > 1.0) == (number(row, "all_reduce_us") > 0.0));
  }
}

// Some of these kernels exceed the limit on commands.
TEST_CASE("Evaluations: the rows beside failed ones are those of a whole run") {
  struct Case {
    std::string bench;
    int commands;
  };
  for (const Case& one : {Case{"ccl --algorithm chunked_ring_allreduce -b 1K -e 64K", 20},
                          Case{"tp_mlp --tokens 32 --ffn 1024 --ranks 2", 40},
                          Case{"attention --panel multi_user_decode --ranks 2 --s_kv 64", 80}}) {
    CAPTURE(one.bench);
    const std::string command = "--topology topology.yaml --bench " + one.bench + " --quiet --json";
    const boost::json::array whole = rows(run_kbsim(command).out);
    const Outcome failing =
        run_kbsim(command + fmt::format(" --set pe.pe_cpu.max_commands={}", one.commands));
    CAPTURE(failing.err);
    CHECK(failing.exit == 8);
    const boost::json::array some = rows(failing.out);
    const boost::json::array failures = boost::json::parse(failing.out).at("failures").as_array();
    CHECK(!some.empty());
    CHECK(!failures.empty());
    CHECK(some.size() + failures.size() == whole.size());
    for (const auto& row : some) CHECK(std::ranges::find(whole, row) != whole.end());
    CHECK(failing.err.find(failures.front().at("simulation").as_string().c_str()) != std::string::npos);
  }
}

TEST_CASE("tp_mlp: no speedup over one rank where that has no row") {
  const std::string bench =
      "--topology topology.yaml --bench tp_mlp --tokens 32 --ffn 1024 --ranks 2 --quiet ";
  CHECK(run_kbsim(bench).out.find("N/A") == std::string::npos);
  const Outcome one_fails = run_kbsim(bench + "--set pe.pe_cpu.max_commands=40");
  CHECK(one_fails.err.find("kbsim: 1 rank: ") == 0);
  CHECK(one_fails.out.find("N/A") != std::string::npos);
  CHECK(one_fails.out.find("1.00") == std::string::npos);
}

TEST_CASE("tp_mlp: rows of another all-reduce aren't reused") {
  const std::string command = "--topology topology.yaml --bench tp_mlp --quiet --ranks 2 --tokens 4 --out " +
                              written("other_sum", "") + ".d ";
  const Outcome outcome = run_kbsim(command + "--algorithm tree_allreduce");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(run_kbsim(command + "--algorithm tree_allreduce --reuse").out == outcome.out);
  const Outcome refused = run_kbsim(command + "--reuse");
  CHECK(refused.exit == 2);
  CHECK_MESSAGE(
      refused.err.find("--algorithm was \"tree_allreduce\", and is not given here") != std::string::npos,
      refused.err);
}

TEST_CASE("gemm: layers of the same size are simulated once, and each has its row, or its own path") {
  const std::string list = written("repeated.csv",
                                   "Layer,M,N,K\nhead_0,16,32,64\nother,32,16,64\nhead_1,16,32,64\n"
                                   "head_2,16,32,64\n");
  const auto rows_of = [&](const std::string& options) {
    const Outcome outcome = run_kbsim("--bench gemm --json --layers " + list + options);
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit == 0);
    return boost::json::parse(outcome.out).at("rows").as_array();
  };
  const boost::json::array rows = rows_of("");
  REQUIRE(rows.size() == 4);
  boost::json::object first = rows[0].as_object();
  for (const std::size_t i : {2U, 3U}) {
    first["layer"] = fmt::format("head_{}", i - 1);
    CHECK(rows[i] == first);
  }
  CHECK(rows[1].at("layer") == "other");
  CHECK(rows[1].at("m") == 32);
  CHECK(run_kbsim("--bench gemm --layers " + list).err.find("2 of 2") != std::string::npos);
  const boost::json::array asked = rows_of(" --explain --of row:3");
  for (std::size_t i = 0; i < 4; ++i) CHECK(asked[i].at("time_us") == rows[i].at("time_us"));
  const Outcome refused = run_kbsim("--bench gemm --quiet --layers " + list +
                                    " --set system.packet_bytes=0 --set cube.noc.router.impl="
                                    "builtin.router_vc --set cube.noc.router.buffer_bytes=64");
  CHECK(refused.exit == 2);
  CHECK_MESSAGE(refused.err.starts_with("kbsim: head_0, head_1, head_2: "), refused.err);
}

TEST_CASE("--exact-packets and --shuffle-ties: of all simulations of an evaluation, with the same rows") {
  const auto events = [](const std::string& summary) {
    const std::size_t end = summary.find(" events");
    REQUIRE_MESSAGE(end != std::string::npos, summary);
    return std::stol(summary.substr(summary.rfind(' ', end - 1)));
  };
  for (const char* bench :
       {"ccl -b 1K -e 4K -f 2", "gemm --m 32 --n 32 --k 64", "attention --panel multi_user_decode --ranks 2",
        "tp_mlp --ranks 2", "llm --on pe --phase decode --context 8"}) {
    CAPTURE(bench);
    const std::string command = std::string{"--topology topology.yaml --bench "} + bench;
    const Outcome plain = run_kbsim(command);
    for (const char* how : {" --exact-packets", " --shuffle-ties 3"}) {
      const Outcome other = run_kbsim(command + how);
      CAPTURE(other.err);
      CHECK(other.exit == 0);
      CHECK(other.out == plain.out);
      CHECK(events(other.err) > events(plain.err));
    }
  }
  for (const char* how : {" --exact-packets", " --shuffle-ties 3", " --parallel-bound"}) {
    const Outcome refused = run_kbsim(kGemm + "--reuse --out " + folder() + how);
    CHECK(refused.exit == 2);
    CHECK(refused.err.find("--reuse simulates nothing") != std::string::npos);
  }
}

TEST_CASE("Benches of layers: what can't run or has no effect is refused, and why") {
  for (const auto& [options, why] :
       {std::pair{"tp_mlp --ffn 10", "--ffn (10) must be divisible by the ranks (4)"},
        {"gemm --m 1048576 --n 1048576 --check 0",
         "kbsim: no room for a tensor [1048576, 1048576] f16: sip0.cube0.pe0 hbm: asked for 2 TiB"},
        {"tp_mlp --activation mish", "--activation mish: expected relu, silu or gelu"},
        {"tp_mlp --set system.sips.count=4", "--ranks says how many packages there are"},
        {"llm --set system.sips.count=3 --tp 3", "--tp 3: it doesn't divide num_attention_heads, 8"},
        {"llm --tp 2 --prompt 7 --sequence-parallel",
         "7 rows of a prefill step don't divide over 2 packages"},
        {"attention --panel multi_user_prefill --s_q 5", "--s_q has no effect: in prefill"},
        {"attention --set ccl.algorithms.ring_allreduce_tcm.n_slots=3", "its queues have the defaults"},
        {"tp_mlp --algorithm intercube_allreduce", "intercube_allreduce needs one shard on each"},
        {"tp_mlp --set ccl.defaults.slot_size=1", "does not fit a slot of 1 B"},
        {"tp_mlp --set cube.memory.tcm_bytes=32KiB --set cube.memory.tcm_scheduler_bytes=16KiB",
         "the rings of sip0.cube0.pe0 don't fit its TCM"},
        {"tp_mlp --algorithm ring_reduce", "is for reduce, expected an all_reduce"},
        {"tp_mlp --set ccl.algorithms.ring_allreduce_tcm.reduce_op=max", "partial products are summed up"},
        {"tp_mlp --set ccl.algorithms.ring_allreduce_tcm.chosen_up_to=1", "no algorithm is picked"},
        {"llm --model /dev/zero", "kbsim: /dev/zero: is larger than 1 MiB"},
        {"llm --model /tmp", "kbsim: /tmp: is a folder, expected a file"},
        {"llm --model none.json", "kbsim: none.json: no such file"}}) {
    CAPTURE(options);
    const Outcome outcome = run_kbsim(std::string{"--topology topology.yaml --dry-run --bench "} + options);
    CHECK(outcome.exit == 2);
    CHECK_MESSAGE(outcome.err.find(why) != std::string::npos, outcome.err);
  }
}

}  // namespace kbsim::contract::evaluations_test
