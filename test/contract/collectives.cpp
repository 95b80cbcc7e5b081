// Collectives by the command: --bench ccl, milestone-1h-ccl, kbsim correlate.
#include <cmath>
#include <filesystem>
#include <map>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command.hpp"
#include "files.hpp"

namespace kbsim::contract::collectives_test {

using namespace kbsim::test;

namespace {

const std::string kCcl = "--topology topology.yaml --bench ccl --quiet ";
const std::string kSmall =
    "--set sip.cube_mesh.w=1 --set sip.cube_mesh.h=1 --set cube.pe_layout.pe_per_corner=1 ";

boost::json::array rows_of(const std::string& arguments) {
  const Outcome outcome = run_kbsim(arguments + " --json");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  return boost::json::parse(outcome.out).at("rows").as_array();
}

double number(const boost::json::value& row, const char* key) { return row.at(key).to_number<double>(); }

void refuses(const std::string& arguments, const std::string& why) {
  const Outcome outcome = run_kbsim(arguments);
  CAPTURE(arguments);
  CHECK(outcome.exit == 2);
  CHECK_MESSAGE(outcome.err.find(why) != std::string::npos, outcome.err);
}

}  // namespace

TEST_CASE("--bench ccl: on one rank a line below the table says what busbw is") {
  const std::string one = kCcl + "-b 1K -e 1K -c 0 --set system.sips.count=1 --algorithm ";
  CHECK(run_kbsim(one + "ring_allreduce_tcm")
            .out.ends_with("\n# Avg bus bandwidth    : 0.0000\n# busbw on 1 rank      : 0, one part alone "
                           "crosses no bus\n"));
  CHECK(run_kbsim(one + "intercube_allreduce")
            .out.ends_with("\n# busbw on 1 rank      : algbw x 1.875, by the parts of its PEs\n"));
  CHECK(run_kbsim(kCcl + "-b 1K -e 1K -c 0").out.find("busbw on 1 rank") == std::string::npos);
}

TEST_CASE("--bench ccl: sizes by factor or by steps, columns of nccl-tests, nothing wrong") {
  const Outcome outcome = run_kbsim(kCcl + kSmall + "--algorithm chunked_ring_allreduce -b 64 -e 4K -f 8");
  CHECK(outcome.exit == 0);
  for (const char* part : {"size", "count", "type", "redop", "time", "algbw", "busbw", "#wrong",
                           "# Out of bounds values : 0 OK", "# Avg bus bandwidth"})
    CHECK_MESSAGE(outcome.out.find(part) != std::string::npos, part);
  const boost::json::array stepped = rows_of(kCcl + kSmall + "-b 100 -e 300 -i 100 -d float -o max");
  REQUIRE(stepped.size() == 3);
  CHECK(number(stepped[2], "size") == 300);
  CHECK(number(stepped[2], "count") == 75);
  CHECK(stepped[0].at("type") == "float");
  CHECK(stepped[0].at("redop") == "max");
}

TEST_CASE(
    "--bench ccl: -J writes nccl-tests' JSON, warm-ups and iterations change no time, -c 0 checks nothing") {
  const std::string file = written("nccl.json", "");
  const std::string once = kCcl + kSmall + "-b 1K -e 1K ";
  const Outcome outcome = run_kbsim(once + "-n 3 -w 2 -c 0 -J " + file);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(outcome.out.find("N/A") != std::string::npos);
  const boost::json::value json = boost::json::parse(contents(file));
  const boost::json::value& result = json.at("results").at(0);
  CHECK(result.at("size") == 1024);
  CHECK(result.at("in_place").at("nwrong").is_null());
  CHECK(number(result.at("in_place"), "time") == doctest::Approx(number(rows_of(once)[0], "time")));
}

TEST_CASE("--bench ccl: -J has times out of place as such, and in place where there are some") {
  const std::string file = written("nccl_gather.json", "");
  const std::string once = kCcl + kSmall + "--algorithm ring_all_gather -b 1K -e 1K ";
  const Outcome outcome = run_kbsim(once + "-J " + file);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(outcome.out.find("out-of-place") < outcome.out.find("in-place"));
  const boost::json::value json = boost::json::parse(contents(file));
  const boost::json::value& result = json.at("results").at(0);
  const boost::json::array rows = rows_of(once);
  CHECK(result.at("out_of_place").at("time") == rows[0].at("time"));
  CHECK(result.at("in_place").at("time") == rows[0].at("in_place_time"));
  CHECK(result.at("in_place").at("nwrong") == 0);
}

TEST_CASE("--bench ccl: draws time and bus bandwidth against size, a curve for each operation") {
  const std::string folder = written("ccl-sweep", "") + ".d";
  const std::string sweep = kCcl + kSmall + "--algorithm ring_allreduce_tcm -b 1K -e 4K -o all ";
  const boost::json::array rows = rows_of(sweep + "--out " + folder);
  for (const char* figure : {"/ccl_time", "/ccl_busbw"}) {
    for (const char* ending : {".csv", ".gp", ".png", ".svg"})
      CHECK(std::filesystem::file_size(folder + figure + ending) > 50);
  }
  CHECK(contents(folder + "/ccl_time.csv").starts_with("size,avg,max,min,prod,sum\n1024,"));
  CHECK(contents(folder + "/ccl_busbw.csv").find(fmt::format("{:.6g}", number(rows[0], "bus_bw"))) !=
        std::string::npos);
  CHECK(rows_of(kCcl + kSmall + "-b 1K -e 1K -o all -d int32").size() == 4);  // integers have no average
  CHECK(run_kbsim(kCcl + kSmall + "--set system.sips.count=1 -b 1K -e 1K --out " + folder).exit == 0);
}

TEST_CASE("--bench ccl --pick: each size takes the algorithm that a call picks, and its row names it") {
  const std::string pick =
      kCcl + kSmall + "--set system.sips.count=8 --pick all_gather -b 1K -e 256K -f 256 ";
  const std::string one_shot = "--set ccl.algorithms.one_shot_all_gather.";
  for (const auto& row : rows_of(pick)) CHECK(row.at("algorithm") == "ring_all_gather");
  const boost::json::array limited = rows_of(pick + one_shot + "chosen_up_to=1KiB");
  REQUIRE(limited.size() == 2);
  CHECK(limited[0].at("algorithm") == "one_shot_all_gather");
  CHECK(limited[1].at("algorithm") == "ring_all_gather");
  CHECK(limited[1].at("nwrong") == 0);
  const Outcome table = run_kbsim(pick + one_shot + "chosen_up_to=1KiB");
  CHECK(table.out.starts_with("# algorithms by size on 8 ranks"));
  CHECK(table.out.find("  one_shot_all_gather\n") != std::string::npos);
  refuses(kCcl + "--pick all_gathr", "--pick all_gathr: no such collective, did you mean 'all_gather'?");
  refuses(pick + "--algorithm ring_all_gather", "a picked algorithm isn't named");
  refuses(pick + "--set ccl.algorithms.ring_broadcast.n_slots=3", "not 'ring_broadcast'");
  refuses(kCcl + "--algorithm ring_all_gather --set ccl.algorithms.ring_all_gather.picked=by_limit",
          "and none is picked");
}

TEST_CASE("--bench ccl: without a check no numbers are computed, and the times are the same") {
  const std::string arguments = kCcl + kSmall + "--algorithm bidirectional_ring_allreduce -b 1K -e 4K ";
  const boost::json::array checked = rows_of(arguments + "-c 1");
  const boost::json::array only_timed = rows_of(arguments + "-c 0");
  REQUIRE(checked.size() == only_timed.size());
  for (std::size_t i = 0; i < checked.size(); ++i) {
    CHECK(checked[i].at("nwrong") == 0);
    CHECK(checked[i].at("correct") == true);
    CHECK(only_timed[i].at("nwrong").is_null());
    CHECK(only_timed[i].at("correct").is_null());
    CHECK(number(checked[i], "time") == number(only_timed[i], "time"));
    CHECK(checked[i].at("package_links") == only_timed[i].at("package_links"));
  }
  const auto verdict = [&](const std::string& check) {
    return boost::json::parse(run_kbsim(arguments + "--json " + check).out).at("correct");
  };
  CHECK(verdict("-c 1") == true);
  CHECK(verdict("-c 0").is_null());
}

TEST_CASE("--bench ccl: what can't be measured is refused before anything runs") {
  refuses(kCcl + "-b 0", "--minbytes must be at least 1");
  for (const char* size : {"9223372036854775807", "9223372036854775808", "9007199254740992K", "1048577G"})
    refuses(kCcl + "-b " + size, fmt::format("--minbytes {}: more than any memory", size));
  for (const char* size : {"-1", "K", "1T", "1 K"})
    refuses(kCcl + "-b '" + size + "'", fmt::format("--minbytes {}: expected bytes, as 1024, 1K", size));
  refuses(kCcl + "-b 2K -e 1K", "is more than --maxbytes");
  refuses(kCcl + "-b 12Q", "expected bytes");
  refuses(kCcl + "-o sam", "did you mean 'sum'?");
  refuses(kCcl + "-d flaot", "did you mean 'float'?");
  refuses(kCcl + "-o avg -d int32", "avg of integers");
  refuses(kCcl + "--algorithm ring_broadcast -r 2", "--root must be 0 to 1");
  for (const char* option : {"-g 8", "-g8", "-t 2", "--ngpus 8", "--nthreads=2"})
    refuses(kCcl + option, ": ranks are packages, --set system.sips.count=N");
  refuses(kCcl + "-z 1", "unknown option '-z': each collective is awaited before the next one begins");
  refuses(kCcl + "-n 0", "--iters must be 1 to 1000");
  refuses(kCcl + "--algorithm ring", "unknown algorithm 'ring'");
  refuses(kCcl + "--buffer-kind dram", "--buffer-kind must be tcm, hbm or sram");
  refuses(kMainJob + " --algorithm ring_broadcast", "'ring_broadcast' is for broadcast");
}

TEST_CASE("Files that can't be written are refused before anything runs") {
  const std::string nowhere = "/nonexistent/such.json";
  const std::string why = "kbsim: can't write '" + nowhere +
                          "': No such file or directory; make the folder '/nonexistent' first\n";
  for (const std::string& arguments : {kCcl + "-J " + nowhere, kMainJob + " --oplog " + nowhere}) {
    const Outcome outcome = run_kbsim(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.err == why);
    CHECK(outcome.out == "");
  }
  CHECK(run_kbsim(kMainJob + " --dry-run --oplog " + nowhere).err == why);
  CHECK(run_kbsim(kCcl + "--dry-run -J " + nowhere).err == why);
}

TEST_CASE("ccl_allreduce: an all-reduce takes as long as in --bench ccl, whatever its upload took") {
  for (const char* algorithm : {"intercube_allreduce", "ring_allreduce_tcm", "pipelined_ring_allreduce"}) {
    for (const int n_elem : {8, 4096, 16384}) {
      CAPTURE(algorithm);
      CAPTURE(n_elem);
      const std::string bytes = std::to_string(2 * n_elem);
      const auto swept = rows_of(kCcl + "--algorithm " + algorithm + " -b " + bytes + " -e " + bytes);
      const Outcome outcome =
          run_kbsim(kMainJob + " --quiet --json --algorithm " + algorithm + " --set ccl.algorithms." +
                    algorithm + ".n_elem=" + std::to_string(n_elem));
      REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
      const boost::json::value result = boost::json::parse(outcome.out).at("result");
      CHECK(number(result, "latency_ns") ==
            doctest::Approx(1000.0 * number(swept.front(), "time")).epsilon(1e-9));
    }
  }
}

TEST_CASE("ccl_allreduce: works with every all-reduce of ccl.yaml") {
  for (const char* algorithm :
       {"ring_allreduce_tcm", "mesh_allreduce", "tree_allreduce", "hierarchical_allreduce",
        "chunked_ring_allreduce", "pipelined_ring_allreduce", "bidirectional_ring_allreduce",
        "torus_allreduce", "two_way_ring_allreduce", "line_allreduce", "one_shot_allreduce",
        "doubling_allreduce", "halving_doubling_allreduce"}) {
    const Outcome outcome = run_kbsim(kMainJob + " " + kSmall + "--algorithm " + algorithm);
    CHECK_MESSAGE(outcome.exit == 0, outcome.err);
    CHECK(outcome.out.find(std::string{algorithm} + " (ws=2): ") != std::string::npos);
  }
}

TEST_CASE(
    "ccl_allreduce: hello_send hands each rank's tensor to the next, between packages and between PEs") {
  const Outcome packages = run_kbsim(kMainJob + " --algorithm hello_send");
  CHECK_MESSAGE(packages.exit == 0, packages.err);
  CHECK(packages.out.find("hello_send (ws=2): ") != std::string::npos);
  const Outcome pes =
      run_kbsim(kMainJob + " --algorithm hello_send --set ccl.algorithms.hello_send.world_size=8");
  CHECK_MESSAGE(pes.exit == 0, pes.err);
  CHECK(pes.out.find("hello_send (ws=8): 8 OK") != std::string::npos);
}

TEST_CASE("milestone-1h-ccl: every row right and above the bound, figures, and made again from its rows") {
  const std::string folder = written("ccl-out", "") + ".d";
  const std::string milestone = "--topology topology.yaml --bench milestone-1h-ccl --quiet " + kSmall;
  const Outcome outcome = run_kbsim(milestone + "--out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::array rows =
      boost::json::parse(contents(folder + "/summary.json")).at("rows").as_array();
  std::map<std::string, int> per_topology;
  for (const auto& row : rows) {
    CAPTURE(boost::json::serialize(row));
    CHECK(row.at("correct").as_bool());
    CHECK(number(row, "nwrong") == 0);
    CHECK(number(row, "bound_us") <= number(row, "time"));
    CHECK(row.at("label") == row.at("kernel"));
    ++per_topology[std::string{row.at("sip_topology").as_string()}];
  }
  CHECK(per_topology.size() == 3);
  for (const auto& [topology, count] : per_topology) {
    CAPTURE(topology);
    CHECK(count % 12 == 0);  // four sizes, three memories
    for (const char* figure : {"ccl_latency_", "ccl_buffer_kinds_", "ccl_links_"}) {
      for (const char* ending : {".csv", ".gp", ".png", ".svg"})
        CHECK(std::filesystem::file_size(folder + "/" + figure + topology + ending) > 100);
    }
  }
  CHECK(contents(folder + "/summary.csv") == contents(folder + "/results.csv"));
  const Outcome again = run_kbsim(milestone + "--reuse --out " + folder);
  CHECK(again.out == outcome.out);

  const Outcome same = run_kbsim("correlate --results " + folder + "/summary.csv --reference " + folder +
                                 "/summary.csv --json --out " + folder);
  REQUIRE_MESSAGE(same.exit == 0, same.err);
  const boost::json::value found = boost::json::parse(same.out);
  CHECK(found.at("points").as_array().size() == rows.size());
  CHECK(number(found, "mape_percent") == 0.0);
  CHECK(std::filesystem::exists(folder + "/simulated_and_reference.svg"));
}

TEST_CASE(
    "--reference: an evaluation compares its times as kbsim correlate does, also of rows it had before") {
  const std::string folder = written("ccl-reference", "") + ".d";
  const std::string sweep = kCcl + kSmall + "--algorithm ring_allreduce_tcm -b 1K -e 4K --out " + folder;
  const std::string reference = written("curve.csv", "size,time\n1024,0.5\n4096,1.5\n");
  const Outcome outcome = run_kbsim(sweep + " --reference " + reference);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const std::string compared =
      run_kbsim("correlate --results " + folder + "/results.csv --reference " + reference).out;
  CHECK(compared.find("2 points: mean error ") != std::string::npos);
  CHECK(outcome.out.ends_with(" against " + reference + ":\n" + compared));
  for (const char* file : {"correlation.json", "simulated_and_reference.csv", "simulated_and_reference.png"})
    CHECK(std::filesystem::exists(folder + "/" + file));

  const Outcome json = run_kbsim(sweep + " --reuse --json --reference " + folder + "/results.csv");
  REQUIRE_MESSAGE(json.exit == 0, json.err);
  const boost::json::value all = boost::json::parse(json.out);
  CHECK(number(all.at("correlation"), "mape_percent") == 0.0);
  CHECK(all.at("rows").as_array().size() == 2);
}

TEST_CASE("milestone-1h-ccl: each algorithm is compared by its own name and memory") {
  const std::string milestone = "--topology topology.yaml --bench milestone-1h-ccl --quiet " + kSmall;
  const std::string reference =
      written("measured.csv",
              "sip_topology,algorithm,buffer_kind,size,time\nring_1d,ring_allreduce_hbm,hbm,64,1\n"
              "ring_1d,ring_allreduce_hbm,hbm,16384,1\n");
  const Outcome outcome = run_kbsim(milestone + "--json --reference " + reference);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::value found = boost::json::parse(outcome.out).at("correlation");
  CHECK(found.at("points").as_array().size() == 4);
  CHECK(found.at("points").at(0).at("curve") == "ring_1d ring_allreduce_hbm hbm");
}

TEST_CASE("milestone-1h-ccl: only algorithms that are equal but for the memory of their slots are one") {
  const std::string milestone = "--topology topology.yaml --bench milestone-1h-ccl --quiet " + kSmall +
                                "--buffer-kind sram --set ccl.algorithms.ring_allreduce_sram.n_slots=2 ";
  std::map<std::string, std::string> labels;  // of algorithms
  for (const auto& row : rows_of(milestone)) {
    CHECK(row.at("buffer_kind") == "sram");
    labels[std::string{row.at("algorithm").as_string()}] = row.at("label").as_string();
  }
  CHECK(labels["ring_allreduce_sram"] == "ring_allreduce_sram");
  CHECK(labels["ring_allreduce_hbm"] == "ring_allreduce_hbm");  // moved; the one in TCM is the same
  CHECK(!labels.contains("ring_allreduce_tcm"));
  CHECK(labels["mesh_allreduce"] == "mesh_allreduce");
}

TEST_CASE("--reference: refused before anything is simulated, or with the results kept if nothing fits") {
  const std::string folder = written("ccl-refused", "") + ".d";
  const std::string bench =
      "--topology topology.yaml --bench milestone-1h-ccl --out " + folder + " --reference ";
  refuses(bench + "/none.csv", "/none.csv: no such file");
  refuses(bench + written("empty.csv", ""), "empty.csv: no rows");
  refuses(bench + written("short.csv", "size,time\n1\n"), "short.csv:2: 1 cell, expected 2");
  refuses(bench + written("word.csv", "size,time\n1,fast\n"), "column time: 'fast' is no number");
  refuses(bench + written("twice.csv", "size,time\n1,1\n1,2\n"), "row 2: two times for 1 byte");
  refuses(bench + written("dry.csv", "size\n1\n") + " --dry-run", "no column 'time'");
  CHECK(!std::filesystem::exists(folder));
  refuses(kMainJob + " --reference x.csv", "--reference");
  const std::string other = written("other.csv", "size,time\n1,1\n2,2\n");
  refuses(kCcl + kSmall + "-b 1K -e 1K --out " + folder + " --reference " + other,
          "column size: 1 to 2 bytes here, 1024 bytes in the results");
  CHECK(std::filesystem::exists(folder + "/results.csv"));
  const Outcome json = run_kbsim(kCcl + kSmall + "-b 1K -e 1K --json --reference " + other);
  CHECK(json.exit == 2);
  CHECK(json.err.find("column size") != std::string::npos);
  const boost::json::value all = boost::json::parse(json.out);
  CHECK(all.at("rows").as_array().size() == 1);
  CHECK(!all.as_object().contains("correlation"));
}

TEST_CASE("kbsim correlate: errors per size, and files that aren't tables") {
  const std::string mine = written("mine.csv", "size,time\n1024,2\n4096,4\n");
  const std::string reference = written("reference.csv", "size,time\n1024,1\n4096,4\n");
  const Outcome outcome = run_kbsim("correlate --results " + mine + " --reference " + reference);
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("mean error 50.00 % (MAPE)") != std::string::npos);
  CHECK(outcome.out.find("worst: +100.00 % at 1024 bytes") != std::string::npos);
  refuses("correlate --results " + mine, "'--reference' is required");
  refuses("correlate --results " + mine + " --reference /none.csv", "/none.csv: no such file");
  refuses("correlate --results " + mine + " --reference " + written("x.csv", "size\n1\n"),
          "no column 'time'");
}

TEST_CASE("kbsim correlate: --in-place is of references that say which of their times are in place") {
  const std::string mine = written("mine.csv", "size,time\n1024,2\n4096,4\n");
  const std::string one = written("one.csv", "size,time\n1024,1\n4096,4\n");
  const std::string both = written("both.csv", "size;inPlace;time\n1024;0;1,5\n1024;1;2,5\n");
  const std::string run = "correlate --results " + mine + " --reference ";
  refuses(run + one + " --in-place",
          "--in-place has no effect: no reference says which of its times are in place");
  CHECK(run_kbsim(run + both).out.find("worst: +33.33 % at 1024 bytes") != std::string::npos);
  CHECK(run_kbsim(run + both + " --in-place").out.find("worst: -20.00 % at 1024 bytes") != std::string::npos);
}

TEST_CASE("Rings in TCM take its bytes: those that don't fit are refused") {
  refuses(
      kCcl + kSmall + "--algorithm ring_allreduce_tcm -b 64 -e 64 --set ccl.defaults.slot_size=16MiB",
      "4 slots (n_slots) of 16 MiB (slot_size) are more than a PE's TCM beside the scheduler's part, 12 MiB");
  refuses(kCcl + kSmall + "--algorithm ring_allreduce_tcm -b 64 -e 64 --set ccl.defaults.slot_size=2MiB",
          "the rings of sip0.cube0.pe0 don't fit its TCM");
}

}  // namespace kbsim::contract::collectives_test
