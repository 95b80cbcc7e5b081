// The tables that probe prints.
#include <string>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "command.hpp"

namespace kbsim::contract::probe_test {

using namespace kbsim::test;

namespace {

std::ptrdiff_t hops_in(const std::string& options) {
  const Outcome outcome = run_kbsim("probe --topology topology.yaml " + options);
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("\nutilization against size:\n") != std::string::npos);
  CHECK(outcome.out.find("\nk sources at once, ") != std::string::npos);
  std::ptrdiff_t hops = 0;
  for (std::size_t at = outcome.out.find("  arrives "); at != std::string::npos;
       at = outcome.out.find("  arrives ", at + 1))
    ++hops;
  return hops;
}

}  // namespace

TEST_CASE("Probe: hops are of a single case, or asked for") {
  const std::ptrdiff_t own = hops_in("--case pe-local-hbm");
  const std::ptrdiff_t sram = hops_in("--case pe-cube-sram");
  CHECK(own > 0);
  CHECK(sram > 0);
  CHECK(hops_in("--case pe-local-hbm --case pe-cube-sram") == 0);
  CHECK(hops_in("--case pe-local-hbm --case pe-cube-sram --hops") == own + sram);
}

TEST_CASE("Probe: a case that is given twice is refused by its name") {
  const Outcome twice = run_kbsim(
      "probe --topology topology.yaml --case pe-local-hbm --case pe-tcm --case pe-local-hbm --json");
  CHECK(twice.exit == 2);
  CHECK(twice.out.empty());
  CHECK(twice.err == "kbsim: --case pe-local-hbm: is given twice\n");
}

TEST_CASE("Probe: sizes that the memories have no room for have a dash, and the tables are whole") {
  const std::string small =
      "--set cube.memory.tcm_bytes=68KiB --set cube.memory.tcm_scheduler_bytes=4KiB --set "
      "cube.memory.sram_bytes=16KiB ";
  const auto row_of = [&](const std::string& name, const std::string& table) {
    const Outcome outcome = run_kbsim("probe --wide --topology topology.yaml " + small + "--case " + name);
    CHECK_MESSAGE(outcome.exit == 0, outcome.err);
    const std::size_t head = outcome.out.find(table);
    REQUIRE(head != std::string::npos);
    const std::size_t begin = outcome.out.find("\n  " + name, head) + 1;
    return outcome.out.substr(begin, outcome.out.find('\n', begin) - begin);
  };
  const auto dashes = [](const std::string& row) {
    std::ptrdiff_t count = 0;
    for (std::size_t at = row.find(" - "); at != std::string::npos; at = row.find(" - ", at + 1)) ++count;
    return count;
  };
  // Nine sizes, from 4 KiB on.
  const std::string table = "\nutilization against size:\n";
  CHECK(dashes(row_of("pe-local-hbm", table)) == 4);
  CHECK(dashes(row_of("pe-cube-sram", table)) == 6);
  const std::string tcm = row_of("pe-tcm", table);
  CHECK(dashes(tcm) == 5);
  CHECK_MESSAGE(tcm.find(" at 16 KiB") != std::string::npos, tcm);
  CHECK(row_of("pe-tcm", "\nk sources at once, 32 KiB each").find('/') != std::string::npos);
  const Outcome refused =
      run_kbsim("probe --topology topology.yaml " + small + "--case pe-tcm --bytes 33KiB");
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("--bytes 33 KiB: expected at most 32 KiB, what the memories of pe-tcm have room") !=
        std::string::npos);
}

TEST_CASE("Probe: a path whose slots or window hold it below 90 % never reaches that, which its row says") {
  const auto row = [](const std::string& arguments) {
    const Outcome outcome = run_kbsim("probe --topology topology.yaml --case " + arguments);
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    const std::size_t begin = outcome.out.find("\n  pe-", outcome.out.find("reaches 90 %\n")) + 1;
    return outcome.out.substr(begin, outcome.out.find('\n', begin) - begin);
  };
  CHECK(row("pe-ipcq-other-sip").ends_with("%  never: slots"));
  CHECK(row("pe-ipcq-other-sip --set ccl.defaults.n_slots=16").ends_with("%  at 256 KiB"));
  CHECK(row("pe-far-cube-hbm --set pe.pe_dma.max_outstanding=4").ends_with("%  never: queueing"));
  const std::string far = "pe-far-cube-hbm --set sip.ucie.overhead_ns=40 --set pe.pe_dma.max_outstanding=";
  CHECK(row(far + "1000").ends_with("%  beyond 1 MiB"));
}

TEST_CASE("Probe: the last hop departs when the transfer ends") {
  const Outcome outcome = run_kbsim("probe --topology topology.yaml --json");
  REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
  const boost::json::value document = boost::json::parse(outcome.out);
  for (const boost::json::value& probed : document.at("cases").as_array()) {
    CAPTURE(std::string{probed.at("name").as_string()});
    const boost::json::value& last = probed.at("hops").as_array().back();
    CHECK(last.at("depart_ns") == probed.at("total_ns"));
    CHECK(last.at("arrive_ns").as_double() <= last.at("depart_ns").as_double());
  }
}

TEST_CASE("Probe: a case that fails ends after whole lines") {
  const Outcome outcome = run_kbsim(
      "probe --topology topology.yaml --case pe-local-hbm --case h2d-write "
      "--set system.packet_bytes=0 --set cube.noc.router.impl=builtin.router_vc "
      "--set cube.noc.router.buffer_bytes=16KiB");
  CHECK(outcome.exit != 0);
  CHECK(outcome.err.find("buffer") != std::string::npos);
  CAPTURE(outcome.out);
  const std::size_t table = outcome.out.find("reaches 90 %\n");
  REQUIRE(table != std::string::npos);
  CHECK(outcome.out.find("\n  pe-local-hbm ", table) != std::string::npos);
  CHECK(outcome.out.find("\n  h2d-write ", table) == std::string::npos);
  CHECK(outcome.out.ends_with("\n"));
}

}  // namespace kbsim::contract::probe_test
