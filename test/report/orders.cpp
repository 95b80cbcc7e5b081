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

}  // namespace kbsim::report_orders_test
