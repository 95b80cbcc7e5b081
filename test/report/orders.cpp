// Rows of orders.
#include "kbsim/report/orders.hpp"

#include <sstream>

#include <doctest/doctest.h>

#include "kbsim/report/csv.hpp"

namespace kbsim::report_orders_test {

using namespace kbsim::report;

TEST_CASE("Orders: a kernel of any name is one cell") {
  const hw::OrderRecord order{.phase = hw::OrderPhase::kernel,
                              .kernel_name = "a,\"b\"\xe9",
                              .sip = 1,
                              .cubes = 1,
                              .pes = 1,
                              .activity = {.first_start = 2_ns, .last_start = 2_ns, .last_end = 5_ns}};
  std::istringstream rows{orders_csv({order}, 8)};
  const CsvTable table = parse_csv(rows, "orders.csv");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].at("name") == "a,\"b\"\\xe9");
  CHECK(table.rows[0].at("sip") == "1");
  CHECK(number_in(table, 0, "kernel_ns") == 3.0);
}

TEST_CASE("Orders: writes of the host name no kernel, and no PE if the memory is a cube's") {
  const hw::OrderRecord slices{.phase = hw::OrderPhase::memory_write,
                               .cubes = 2,
                               .pes = 16,
                               .last_pe = 7,
                               .sent = 1_ns,
                               .reported = 4_ns,
                               .activity = {1_ns, 1_ns, 1_ns}};
  const hw::OrderRecord sram{
      .phase = hw::OrderPhase::memory_read, .cubes = 1, .pes = 1, .first_pe = -1, .last_pe = -1};
  std::istringstream rows{orders_csv({slices, sram}, 8)};
  const CsvTable table = parse_csv(rows, "orders.csv");
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].at("phase") == "memory_write");
  CHECK(table.rows[0].at("name") == "");
  CHECK(table.rows[0].at("target_pe") == "all");
  CHECK(number_in(table, 0, "total_ns") == 3.0);
  CHECK(number_in(table, 0, "kernel_ns") == 0.0);
  CHECK(number_in(table, 0, "network_ns") == 3.0);
  CHECK(table.rows[1].at("phase") == "memory_read");
  CHECK(table.rows[1].at("target_pe") == "");
}

}  // namespace kbsim::report_orders_test
