// Rows of launches.
#include "kbsim/report/launches.hpp"

#include <doctest/doctest.h>

namespace kbsim::report_launches_test {

using namespace kbsim::report;

namespace {

hw::OrderRecord launch(const char* kernel, Time start, Time end, const hw::UnitWork& work) {
  return {.phase = hw::OrderPhase::kernel,
          .kernel_name = kernel,
          .rank = 1,
          .sip = 2,
          .pes = 4,
          .activity = {.first_start = start, .last_start = start, .last_end = end, .work = work}};
}

const std::vector<hw::OrderRecord> kOrders{
    {.phase = hw::OrderPhase::mmu_map},
    launch("copy", 100_ns, 200_ns, {.dma = 300_ns, .read = 4_KiB, .written = 512_B}),
    launch("matmul", 300_ns, 310_ns, {.gemm = 40_ns, .math = 10_ns}),
};

}  // namespace

TEST_CASE("Launches: a row each, and utilizations are of all PEs' time") {
  const boost::json::array rows = launch_rows(kOrders);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == boost::json::value{{"launch", 0},
                                      {"kernel", "copy"},
                                      {"rank", 1},
                                      {"sip", 2},
                                      {"pes", 4},
                                      {"start_ns", 100.0},
                                      {"duration_ns", 100.0},
                                      {"read_bytes", 4096},
                                      {"written_bytes", 512},
                                      {"gemm_utilization", 0.0},
                                      {"math_utilization", 0.0},
                                      {"dma_utilization", 0.75}});
  CHECK(rows[1].at("launch") == 1);
  CHECK(rows[1].at("gemm_utilization") == 1.0);
  CHECK(rows[1].at("math_utilization") == 0.25);
}

TEST_CASE("Launches: CSV has the names of its columns, of no launch, too") {
  const std::string head =
      "launch,kernel,rank,sip,pes,start_ns,duration_ns,read_bytes,written_bytes,gemm_utilization,"
      "math_utilization,dma_utilization\n";
  CHECK(launches_csv({}) == head);
  CHECK(launches_csv(launch_rows(kOrders)).starts_with(head + "0,copy,1,2,4,100"));
}

TEST_CASE("Launches: the table is short, and empty of none") {
  CHECK(launches_text({}).empty());
  const std::string text = launches_text(launch_rows(kOrders));
  CHECK(text.find("       1  matmul ") != std::string::npos);
  CHECK(text.find(" 100.0  25.0   0.0\n") != std::string::npos);
  const std::vector<hw::OrderRecord> many(25, kOrders[1]);
  CHECK(launches_text(launch_rows(many)).ends_with("  and 5 more launches\n"));
}

TEST_CASE("Launches: of one that takes no time no utilization is known") {
  const boost::json::array rows = launch_rows({launch("nothing", 5_ns, 5_ns, {})});
  CHECK(rows[0].at("dma_utilization").is_null());
  CHECK(launches_text(rows).find("   N/A   N/A  N/A\n") != std::string::npos);
}

}  // namespace kbsim::report_launches_test
