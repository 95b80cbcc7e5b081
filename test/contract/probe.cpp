// Which of its tables probe prints.
#include <string>

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

}  // namespace kbsim::contract::probe_test
