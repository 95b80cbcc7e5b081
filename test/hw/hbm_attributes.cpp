#include <doctest/doctest.h>

#include "kbsim/hw/memory/hbm_spec.hpp"

namespace kbsim::hw::test::hbm_attributes_test {
namespace {

std::string complaint(const HbmSpec& spec) {
  try {
    check(spec, {.file = "t.yaml", .line = 3, .column = 5}, "hbm0");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("HBM attributes: the defaults agree with one another, and refresh may be off") {
  CHECK(complaint({}) == "");
  CHECK(complaint({.trefi = Time{0}}) == "");
}

TEST_CASE("HBM attributes: each contradiction names its key, its place and the key it contradicts") {
  CHECK(complaint({.trc = 47_ns}) ==
        "t.yaml:3:5: hbm0.trc_ns: found 47 ns, expected at least tras_ns + trp_ns, which is 48 ns");
  CHECK(complaint({.tras = 13_ns}) ==
        "t.yaml:3:5: hbm0.tras_ns: found 13 ns, expected at least trcd_ns, which is 14 ns");
  CHECK(complaint({.tccd_l = 999_ps}) ==
        "t.yaml:3:5: hbm0.tccd_l_ns: found 0.999 ns, expected at least tccd_s_ns, which is 1 ns");
  CHECK(complaint({.trrd_l = Time{0}}) ==
        "t.yaml:3:5: hbm0.trrd_l_ns: found 0 ns, expected at least trrd_s_ns, which is 1 ns");
  CHECK(complaint({.twtr_l = 1_ns}) ==
        "t.yaml:3:5: hbm0.twtr_l_ns: found 1 ns, expected at least twtr_s_ns, which is 6 ns");
  CHECK(complaint({.trefi = 378_ns}) ==
        "t.yaml:3:5: hbm0.trefi_ns: found 378 ns, expected more than trp_ns + trfc_ns + trcd_ns, "
        "which is 378 ns");
  CHECK(complaint({.row = 1000_B}) ==
        "t.yaml:3:5: hbm0.row_bytes: found 1000 B, expected a multiple of burst_bytes, which is 32 B");
}

TEST_CASE("HBM attributes: all contradictions are told at once") {
  const std::string text = complaint({.row = 1000_B, .trc = 1_ns, .tccd_l = Time{0}});
  for (const char* key : {"hbm0.row_bytes", "hbm0.trc_ns", "hbm0.tccd_l_ns"}) {
    CHECK(text.find(key) != std::string::npos);
  }
}

}  // namespace kbsim::hw::test::hbm_attributes_test
