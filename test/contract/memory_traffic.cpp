// kbsim traffic --scope hbm as a user types it, and its results for the reference tools' loads.
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::memory_traffic_test {

using namespace kbsim::test;

namespace {

boost::json::object measured_hbm(const std::string& arguments) {
  const Outcome outcome = run_kbsim("traffic --scope hbm --json --quiet " + arguments);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  CHECK(outcome.err.empty());
  return boost::json::parse(outcome.out).as_object();
}

double efficiency(const std::string& arguments) {
  return measured_hbm(arguments).at("efficiency").to_number<double>();
}

void refuses_hbm(const std::string& arguments, const std::string& says) {
  const Outcome outcome = run_kbsim("traffic --scope hbm --topology reference_hbm4.yaml " + arguments);
  CAPTURE(arguments);
  CHECK(outcome.exit == 2);
  CHECK_MESSAGE(outcome.err.find(says) != std::string::npos, outcome.err);
}

struct Reference {
  std::string arguments;
  double figure;     // Ramulator 2.1 (c5b1c3a) or DRAMsim3 (2981759)
  double tolerance;  // relative
};

}  // namespace

TEST_CASE("Memory traffic: efficiencies are those of Ramulator 2.1 and DRAMsim3" *
          doctest::skip(kbsim::test::kSanitized)) {
  const std::string hbm4 = "--topology reference_hbm4.yaml ";
  const std::string hbm3 = "--topology reference_hbm3.yaml ";
  const std::string hbm2 = "--topology reference_hbm2.yaml ";
  const std::string beside = "--set cube.hbm_ctrl.write_drain=per_bank ";
  const std::vector<Reference> references{
      {hbm4, 0.881, 0.02},
      {hbm4 + "--read-share 0", 0.880, 0.02},
      {hbm4 + "--read-share 0.67", 0.612, 0.05},
      {hbm4 + "--pattern random", 0.228, 0.05},
      {hbm4 + "--pattern random --access 1KiB", 0.707, 0.05},
      {hbm3, 0.924, 0.02},
      {hbm3 + "--read-share 0.67", 0.688, 0.05},
      {hbm3 + "--pattern random --access 4KiB", 0.881, 0.05},
      {hbm3 + "--pattern one-bank --total 128KiB", 0.0130, 0.05},
      {hbm2, 0.921, 0.02},
      {hbm2 + "--read-share 0.667", 0.829, 0.05},
      {hbm2 + "--pattern random --access 256", 0.918, 0.05},
      {hbm2 + beside + "--pattern random --access 128 --read-share 0.667", 0.480, 0.05},
      {hbm2 + beside + "--pattern random --access 256 --read-share 0.5", 0.704, 0.05},
  };
  for (const Reference& reference : references) {
    CAPTURE(reference.arguments);
    CHECK(efficiency(reference.arguments) == doctest::Approx(reference.figure).epsilon(reference.tolerance));
  }
}

TEST_CASE("Memory traffic: the JSON has the documented members, the same in two runs") {
  const std::string arguments = "--topology hbm4.yaml --read-share 0.5 --total 64KiB";
  const boost::json::object all = measured_hbm(arguments);
  for (const char* key : {"efficiency", "rate_gbs", "raw_gbs", "bytes", "simulated_ns"})
    CHECK_MESSAGE(all.at(key).to_number<double>() > 0.0, key);
  for (const char* which : {"read_latency_ns", "write_latency_ns"})
    for (const char* key : {"accesses", "mean", "p50", "p95", "p99", "max"})
      CHECK_MESSAGE(all.at(which).at(key).to_number<double>() > 0.0, key);
  CHECK(all.size() == 7);
  CHECK(measured_hbm(arguments) == all);
}

TEST_CASE("Memory traffic: what is offered below the bound is served, with little waiting") {
  const boost::json::object all =
      measured_hbm("--topology reference_hbm4.yaml --pattern random --load 0.05 --total 128KiB");
  CHECK(all.at("efficiency").to_number<double>() == doctest::Approx(0.05).epsilon(0.05));
  const double unloaded = 19.5 + 10.0 + 1.0 + 0.5;  // tRCD, tCL, the burst, and a clock edge
  CHECK(all.at("read_latency_ns").at("p50").to_number<double>() < unloaded + 16.5 + 15.0);
}

TEST_CASE("Memory traffic: every memory can be driven, a flat one at its rate") {
  CHECK(efficiency("--topology topology.yaml --access 256") == doctest::Approx(0.8).epsilon(0.01));
  CHECK(efficiency("--topology hbm4.yaml --total 8MiB") == doctest::Approx(0.903).epsilon(0.01));
}

TEST_CASE("Memory traffic: wrong input is refused") {
  refuses_hbm("--pattern strem", "did you mean 'stream'?");
  refuses_hbm("--read-share 1.5", "expected from 0 to 1");
  refuses_hbm("--access 0", "--access 0: expected from 1 to ");
  refuses_hbm("--load 0", "above 0 and at most 1");
  refuses_hbm("--load 0.5 --outstanding 4", "got both");
  refuses_hbm("--outstanding -1", "--outstanding must be 1 to 50000000, got -1");
  refuses_hbm("--outstanding 0", "--outstanding must be 1 to 50000000, got 0");
  refuses_hbm("--load 1e-300", "longer than simulated time");
  refuses_hbm("--set cube.noc.link_bw_gbs=1", "an HBM slice alone");
  refuses_hbm("--set cube.hbm_ctrl.scheduler=in_order", "has no effect with scheduler: in_order");
  refuses_hbm("--set cube.hbm_ctrl.mapping=robaco", "--set cube.hbm_ctrl.mapping=robaco: ");
  refuses_hbm("--set cube.hbm_ctrl.mapping=robaco", "expected the fields");
  refuses_hbm("--set cube.hbm_ctrl.scheduler=frfcfs",
              "--set cube.hbm_ctrl.scheduler=frfcfs: sip0.cube0.hbm0.scheduler: unknown memory scheduler "
              "'frfcfs', did you mean 'fr_fcfs'?");
}

TEST_CASE("Memory traffic: timings that leave no time between refreshes are refused where they are given") {
  refuses_hbm("--set cube.hbm_ctrl.tck_ns=5000", "--set cube.hbm_ctrl.tck_ns=5000: ");
  refuses_hbm("--set cube.hbm_ctrl.trefi_ns=480", "--set cube.hbm_ctrl.trefi_ns=480: ");
  refuses_hbm("--set cube.hbm_ctrl.refresh=per_bank --set cube.hbm_ctrl.trrefd_ns=300",
              "--set cube.hbm_ctrl.trrefd_ns=300: ");
  CHECK(efficiency("--topology reference_hbm4.yaml --total 64KiB --set cube.hbm_ctrl.refresh=per_bank") >
        0.8);
}

TEST_CASE(
    "Memory traffic: a slice in which a pattern isn't what it is called is refused with the size it needs") {
  const std::string small = "--set cube.memory.hbm_bytes_per_pe=32KiB ";
  refuses_hbm(small + "--pattern one-bank",
              "is too small for --pattern one-bank with accesses of 32 B: "
              "expected at least 5920 KiB");
  refuses_hbm(small + "--pattern banks", "expected at least 224 KiB");
  refuses_hbm(small + "--access 32KiB",
              "is too small for --pattern stream with accesses of 32 KiB: expected "
              "at least 64 KiB");
  CHECK(efficiency("--topology reference_hbm4.yaml --total 64KiB --pattern one-bank "
                   "--set cube.memory.hbm_bytes_per_pe=5920KiB") < 0.011);
}

TEST_CASE("Memory traffic: a setting that these accesses make no use of is refused") {
  for (const char* key :
       {"write_high=30", "write_low=3", "twr_ns=30", "twtr_s_ns=1", "tcwl_ns=7", "write_drain=per_bank"})
    refuses_hbm(std::string{"--set cube.hbm_ctrl."} + key, "nothing is written (--read-share 1)");
  refuses_hbm("--load 0.1 --set cube.hbm_ctrl.write_queue=90", "nothing is written");
  refuses_hbm("--read-share 0 --set cube.hbm_ctrl.trtp_ns=9", "nothing is read (--read-share 0)");
  refuses_hbm("--read-share 0 --set cube.hbm_ctrl.write_drain=per_bank", "nothing is read (--read-share 0)");
  refuses_hbm("--set cube.hbm_ctrl.write_drain=by_bank", "expected one of all_bank, per_bank");
  refuses_hbm("--pattern one-bank --set cube.hbm_ctrl.tfaw_ns=40", "all in one bank");
  refuses_hbm("--set cube.hbm_ctrl.trfc_bank_ns=200", "all banks are refreshed at once (refresh)");
  refuses_hbm("--set cube.hbm_ctrl.trrefd_ns=9", "all banks are refreshed at once (refresh)");
  refuses_hbm("--seed 3", "--seed 3: has no effect");
  CHECK(efficiency("--topology reference_hbm4.yaml --read-share 0.5 --total 64KiB "
                   "--set cube.hbm_ctrl.write_high=30 --seed 3") > 0.1);
}

TEST_CASE("Memory traffic: --out writes the figures, the latencies and the run") {
  const std::string folder = written("memory-traffic-out", "") + ".d";
  const Outcome outcome = run_kbsim("traffic --scope hbm --topology hbm3.yaml --total 64KiB --out " + folder);
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  for (const char* file :
       {"results.csv", "latencies.csv", "summary.json", "run.json", "config.resolved.yaml"})
    CHECK_MESSAGE(std::filesystem::exists(std::filesystem::path{folder} / file), file);
}

TEST_CASE("Memory traffic: --max-memory ends it where it holds more") {
  const Outcome outcome =
      run_kbsim("traffic --topology topology.yaml --scope hbm --total 64MiB --max-memory 1MiB --quiet");
  CAPTURE(outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(outcome.err.find("kbsim traffic --scope hbm") != std::string::npos);
}

TEST_CASE("Memory traffic: the resolved configuration of each machine drives its memory alike") {
  const std::string folder = written("memory-traffic-resolved", "") + ".d";
  for (const std::string machine : {"topology.yaml", "hbm3.yaml", "hbm4.yaml", "reference_hbm2.yaml",
                                    "reference_hbm3.yaml", "reference_hbm4.yaml"}) {
    CAPTURE(machine);
    const std::string load = " --total 16KiB --read-share 0.5";
    const boost::json::object first = measured_hbm("--topology " + machine + load + " --out " + folder);
    CHECK(measured_hbm("--topology " + folder + "/config.resolved.yaml" + load) == first);
  }
}

}  // namespace kbsim::contract::memory_traffic_test
