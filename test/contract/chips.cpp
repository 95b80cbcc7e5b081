// Machines with floor plans by the command: plans in place of layouts, shared channels, transfers, boxes.
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "kbsim/base/time.hpp"

#include "command.hpp"

using namespace kbsim::test;

namespace kbsim::contract::chips_test {
namespace {

// The text after "digest " at the end of the text.
std::string digest_in(const Outcome& run) {
  const std::string mark = "digest ";
  const std::size_t at = run.out.rfind(mark) != std::string::npos ? run.out.rfind(mark) : run.err.rfind(mark);
  const std::string& text = run.out.rfind(mark) != std::string::npos ? run.out : run.err;
  REQUIRE(at != std::string::npos);
  return text.substr(at + mark.size(), 16);
}

std::string indented(const std::string& plan) {
  std::string text = "  ";
  for (const char c : plan) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text;
}

const std::string kBox = "--topology wormhole_box.yaml --race off ";
const std::string kGather = "--bench ccl --algorithm line_all_gather -b 8192 -e 8192 ";

// 12 PEs on one-way rings, with three channels of interleaved addresses.
const std::string kSmallChip = R"(
system: {sips: {count: 1}}
sip: {cube_mesh: {w: 1, h: 1}}
cube:
  noc: {w: 4, h: 4, wrap: true, links: [east_south]}
  floorplan:
    map: ["HPPP", ".PPP", "HPPP", "HPPP"]
    hbm: {channel_bytes: 256MiB, interleave_bytes: 256, bw_gbs: 64}
)";

// Values are right, and the digest is the same in another order of ties and without shortcuts.
void check_values(const std::string& machine) {
  for (const char* const bench : {"va_offset_verify", "gemm --m 48 --n 40 --k 56 --on cube", "qkv_gemm"}) {
    CAPTURE(bench);
    const Outcome run = run_kbsim(machine + "--bench " + bench);
    CHECK_MESSAGE(run.exit == 0, run.err);
    const std::string digest = digest_in(run);
    CHECK(digest_in(run_kbsim(machine + "--exact-packets --bench " + bench)) == digest);
    CHECK(digest_in(run_kbsim(machine + "--shuffle-ties 7 --bench " + bench)) == digest);
  }
}

}  // namespace

TEST_CASE("Floor plan: the plan that is printed, in place of pe_layout, gives the same digest") {
  const Outcome plan = run_kbsim("topology topology.yaml --floorplan");
  REQUIRE(plan.exit == 0);
  const std::string layout =
      "  pe_layout:\n    corners: [NW, NE, SW, SE]  # [given]\n    pe_per_corner: 2           # [given] 8 "
      "PEs a cube\n";
  const std::string planned = changed_topology(layout, indented(plan.out) + "\n");
  const Outcome usual = run_kbsim(kMainJob);
  const Outcome same = run_kbsim("--bench ccl_allreduce --topology " + planned);
  REQUIRE(same.exit == 0);
  CHECK(digest_in(same) == digest_in(usual));
  CHECK(run_kbsim("topology " + planned + " --floorplan").out == plan.out);
}

TEST_CASE(
    "Floor plan: on shared channels and one-way rings values are right, in any order and without shortcuts") {
  check_values("--topology " + written("chip.yaml", kSmallChip) + " ");
}

TEST_CASE("Floor plan: queues in shared channels aren't supported, and say so") {
  const Outcome run = run_kbsim("--topology " + written("chip.yaml", kSmallChip) +
                                " --set system.sips.count=2 --bench ccl --algorithm ring_allreduce_hbm");
  CHECK(run.exit == 5);
  CHECK(unwrapped(run.err).find("slots in HBM whose channels the PEs share (cube.floorplan.hbm)") !=
        std::string::npos);
}

TEST_CASE("Networks: on two networks values are right, in any order and without shortcuts") {
  check_values("--topology " + written("chip.yaml", kSmallChip) +
               " --set 'cube.noc.links=[east_south, north_west]'"
               " --set 'cube.noc.use={writes: noc1, messages: noc1}' ");
}

// A read goes there and back on one network, a write on another: each takes as long as on a chip with that
// network alone.
TEST_CASE("Networks: reads and writes take as long as on a chip with their network alone") {
  const std::string machine = "--topology " + written("chip.yaml", kSmallChip) +
                              " --set cube.noc.router.overhead_ns=9 --set system.ns_per_mm=0.3";
  const auto time = [&](const std::string& links, const std::string& use, const std::string& options) {
    const std::string set = use.empty() ? "" : " --set 'cube.noc.use={" + use + "}'";
    const Outcome run =
        run_kbsim(machine + " --set 'cube.noc.links=[" + links + "]'" + set +
                  " --bench transfers --bytes 1000 --transactions 1 --quiet --json --from 0 " + options);
    CHECK_MESSAGE(run.exit == 0, run.err);
    const std::size_t at = run.out.find("\"median_ns\":");
    REQUIRE(at != std::string::npos);
    return std::stod(run.out.substr(at + 12));
  };
  for (const char* const options : {"--to 1", "--to 3", "--to 1 --move read", "--to 3 --move read",
                                    "--where hbm --to 3 --move read", "--where hbm --to 3"}) {
    CAPTURE(options);
    const bool reads = std::string_view{options}.ends_with("read");
    const double east = time("east_south", "", options);
    const double shorter = time("both", "", options);
    CHECK(shorter < east);
    CHECK(time("east_south, both", "writes: noc1", options) == (reads ? east : shorter));
    CHECK(time("east_south, both", "reads: noc1, control: noc1", options) == (reads ? shorter : east));
  }
}

// A write and its acknowledgement go once round both rings: 8 routers of 9 ns, and one twice at each end.
TEST_CASE("Transfers: a write on one-way rings takes as long to the neighbour as to any other core") {
  const std::string chip = kSmallChip.substr(0, kSmallChip.find("  floorplan")) + R"(
  floorplan: {pe: {grid: {x: [0-3], y: [0-3]}}}
)";
  const std::string machine = "--topology " + written("rings.yaml", chip) +
                              " --set cube.noc.router.overhead_ns=9 --set system.ns_per_mm=0"
                              " --bench transfers --transactions 1 --bytes 64 --quiet --json --from 0 --to ";
  const auto time = [&](const char* to) {
    const std::string out = run_kbsim(machine + to).out;
    const std::size_t at = out.find("\"median_ns\":");
    REQUIRE(at != std::string::npos);
    return std::stod(out.substr(at + 12));
  };
  const double diagonal = time("5");
  CHECK(time("15") == doctest::Approx(diagonal));
  CHECK(time("10") == doctest::Approx(diagonal));
  CHECK(time("1") == doctest::Approx(diagonal - 4 * 9));  // only round the ring of its row
}

TEST_CASE("Transfers: cores that don't exist and transfers beyond a TCM are refused") {
  const auto refused = [](const std::string& options, const char* why) {
    const Outcome run =
        run_kbsim(kBox + "--set system.sips.count=1 --set system.sips.w=1 --bench transfers " + options);
    CHECK(run.exit == 2);
    CHECK_MESSAGE(unwrapped(run.err).find(why) != std::string::npos, run.err);
  };
  refused("--to 64", "--to 64: there is no PE 64: the package has 64 PEs");
  refused("--from 3-x", "'3-x' is neither a number nor a range like 1-4");
  refused("--from 1,,2", "'' is neither a number nor a range like 1-4");
  refused("--bytes 1MiB",
          "--bytes 1 MiB: expected at most 604 KiB, half of a PE's TCM beside the scheduler's part");
}

TEST_CASE(
    "Products: over all cores of a chip, checked; bad sizes, options without effect and no room are "
    "refused") {
  const std::string one = kBox + "--set system.sips.count=1 --set system.sips.w=1 --bench products ";
  const Outcome run = run_kbsim(one + "--m 100 --k 70 --n 300 --a_in tcm --verify-data");
  CHECK_MESSAGE(run.exit == 0, run.err);
  CHECK(run.out.find("products: [100, 70] [70, 300] bf16 on 8 x 8 PEs in ") != std::string::npos);
  CHECK(run.out.find("c: ok") != std::string::npos);
  const auto refused = [&](const std::string& options, const char* why) {
    const Outcome bad = run_kbsim(one + options);
    CHECK(bad.exit == 2);
    CHECK_MESSAGE(unwrapped(bad.err).find(why) != std::string::npos, bad.err);
  };
  refused("--m 0", "--m must be 1 to 1048576, got 0");
  refused("--a_in sram", "hbm");
  refused("--algorithm ring_allreduce_tcm", "--algorithm");
  refused("--m 65536 --n 65536 --c_in tcm", "leaves 0 B of a PE's TCM for its sums");
}

TEST_CASE(
    "Shared channels: no product takes less than its ideal pipeline, where they serve a PE together or "
    "apart") {
  for (const char* const interleave : {"256", "0"}) {
    CAPTURE(interleave);
    const Outcome run =
        run_kbsim("--topology " + written("chip.yaml", kSmallChip) +
                  " --bench gemm_single_pe --json --set cube.floorplan.hbm.interleave_bytes=" + interleave);
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    const boost::json::value out = boost::json::parse(run.out);
    const boost::json::object& result = out.at("result").as_object();
    CHECK(result.at("composite_window_ns").to_number<double>() >= result.at("ideal_ns").to_number<double>());
  }
}

TEST_CASE("Probe: without --bytes a transfer is as large as all cases have room for") {
  const Outcome run =
      run_kbsim("probe --quiet --case pe-local-hbm --json --topology " + written("chip.yaml", kSmallChip));
  REQUIRE_MESSAGE(run.exit == 0, run.err);
  CHECK(boost::json::parse(run.out).at("cases").at(0).at("bytes") == 256);
}

TEST_CASE("Software of a library: only a bench that prints its times takes it") {
  const Outcome run = run_kbsim(kMainJob + " --set software.zone_ns=5");
  CHECK(run.exit == 2);
  CHECK(unwrapped(run.err).find("it prints no such times of a library") != std::string::npos);
  CHECK(run_kbsim("--topology topology.yaml --bench transfers --set software.zone_ns=5").exit == 0);
  CHECK(run_kbsim(kBox + "--bench transfers --set software.calls.0.call_ns=5").exit == 2);
  CHECK(run_kbsim(kBox + kGather + "--set software.zone_ns=5").exit == 2);
}

TEST_CASE("Software of a library: a call's time is printed apart, with that of its hops") {
  const auto row = [](const std::string& settings) {
    const Outcome run = run_kbsim(kBox + kGather + settings + " --json");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    return boost::json::parse(run.out).at("rows").at(0).as_object();
  };
  const auto software = [&](const std::string& settings) {
    const boost::json::object found = row(settings);
    return 1000 * (found.at("with_software").to_number<double>() - found.at("time").to_number<double>());
  };
  const std::string calls = " --set software.calls.0.call_ns=1000 --set software.calls.0.hop_ns=10";
  CHECK(software(calls) == doctest::Approx(1070));  // a line of eight
  CHECK(software(calls + " --set system.sips.topology=torus_2d") == doctest::Approx(1040));
  CHECK(row("--set software.calls.0.call_ns=1000").at("time") == row("").at("time"));
  const Outcome table = run_kbsim(kBox + kGather);
  CHECK(table.out.find("with software (us)") != std::string::npos);
  const Outcome wrong = run_kbsim(kBox + kGather + "--set software.calls.0.collective=all_gathers");
  CHECK(wrong.exit == 2);
  CHECK(unwrapped(wrong.err).find(
            "software.calls: all_gathers: no such collective, did you mean 'all_gather'?") !=
        std::string::npos);
}

TEST_CASE("Box of Wormhole chips: one, two, four and eight chips on a line, a ring, and 32 in a mesh") {
  for (const char* const shape :
       {"--set system.sips.count=1 --set system.sips.w=1", "--set system.sips.count=2 --set system.sips.w=2",
        "--set system.sips.topology=ring_1d",
        "--set system.sips.count=32 --set system.sips.w=8 --set system.sips.h=4"}) {
    CAPTURE(shape);
    CHECK(run_kbsim(std::string{"topology wormhole_box.yaml "} + shape).exit == 0);
  }
  const Outcome run = run_kbsim(kBox + "--bench ccl --algorithm line_all_gather -b 8192 -e 8192");
  CHECK_MESSAGE(run.exit == 0, run.err);
}

}  // namespace kbsim::contract::chips_test
