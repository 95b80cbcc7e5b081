#include <doctest/doctest.h>

#include "kbsim/hw/memory/hbm_spec.hpp"

namespace kbsim::hw::test::hbm_attributes_test {
namespace {

std::string complaint(const auto& spec) {
  try {
    check(spec, {.at = {.file = "t.yaml", .line = 3, .column = 5}}, "hbm0");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("HBM attributes: the defaults agree with one another, and refresh may be off") {
  CHECK(complaint(HbmSpec{}) == "");
  CHECK(complaint(HbmBanksSpec{}) == "");
  CHECK(complaint(HbmSpec{.trefi = Time{0}}) == "");
}

TEST_CASE("HBM attributes: each contradiction names its key, its place and the key it contradicts") {
  CHECK(complaint(HbmSpec{.trc = 47_ns}) ==
        "t.yaml:3:5: hbm0.trc_ns: found 47 ns, expected at least tras_ns + trp_ns, which is 48 ns");
  CHECK(complaint(HbmSpec{.tras = 13_ns}) ==
        "t.yaml:3:5: hbm0.tras_ns: found 13 ns, expected at least trcd_ns, which is 14 ns");
  CHECK(complaint(HbmSpec{.tccd_l = 999_ps}) ==
        "t.yaml:3:5: hbm0.tccd_l_ns: found 0.999 ns, expected at least tccd_s_ns, which is 1 ns");
  CHECK(complaint(HbmSpec{.trrd_l = Time{0}}) ==
        "t.yaml:3:5: hbm0.trrd_l_ns: found 0 ns, expected at least trrd_s_ns, which is 1 ns");
  CHECK(complaint(HbmSpec{.twtr_l = 1_ns}) ==
        "t.yaml:3:5: hbm0.twtr_l_ns: found 1 ns, expected at least twtr_s_ns, which is 6 ns");
  CHECK(complaint(HbmSpec{.trefi = 378_ns}) ==
        "t.yaml:3:5: hbm0.trefi_ns: found 378 ns, expected more than trp_ns + trfc_ns + trcd_ns, "
        "which is 378 ns");
  CHECK(complaint(HbmSpec{.row = 1000_B}) ==
        "t.yaml:3:5: hbm0.row_bytes: found 1000 B, expected a multiple of burst_bytes, which is 32 B");
}

TEST_CASE("HBM attributes: all contradictions are reported at once") {
  const std::string text = complaint(HbmSpec{.row = 1000_B, .trc = 1_ns, .tccd_l = Time{0}});
  for (const char* key : {"hbm0.row_bytes", "hbm0.trc_ns", "hbm0.tccd_l_ns"}) {
    CHECK(text.find(key) != std::string::npos);
  }
}

TEST_CASE("HBM attributes: a refresh leaves time to open a row, for writes too") {
  CHECK(
      complaint(HbmSpec{.trcd_write = 3536_ns}).find("trp_ns + trfc_ns + trcd_write_ns, which is 3900 ns") !=
      std::string::npos);
  CHECK(complaint(HbmSpec{.trcd_write = 3535_ns}) == "");
}

TEST_CASE("HBM attributes: of the controller's, commands on their clock fit between refreshes") {
  HbmBanksSpec slow;
  slow.tck = 4_us;
  CHECK(complaint(slow).find("hbm0.trefi_ns: found 3900 ns, expected more than trp_ns + trfc_ns + trcd_ns + "
                             "commands of some tck_ns") != std::string::npos);
  slow.trefi = Time{0};
  CHECK(complaint(slow) == "");
}

TEST_CASE("HBM attributes: banks that are refreshed one by one are held against their own times") {
  HbmBanksSpec spec;
  spec.refresh = HbmRefresh::per_bank;
  CHECK(complaint(spec) == "t.yaml:3:5: hbm0.trfc_bank_ns: expected a duration with refresh: per_bank");
  spec.trfc_bank = 280_ns;
  CHECK(complaint(spec) == "");
  spec.trfc = 5_us;
  CHECK(complaint(spec) == "");
  spec.trrefd = 240_ns;
  CHECK(complaint(spec) ==
        "t.yaml:3:5: hbm0.trefi_ns: found 3900 ns, expected more than 16 banks x (trp_ns + trrefd_ns), which "
        "is 4064 ns");
  spec.trrefd = 8_ns;
  spec.trfc_bank = 3872_ns;
  CHECK(complaint(spec).find("trp_ns + trfc_bank_ns + trcd_ns, which is 3900 ns") != std::string::npos);
  spec.trfc_bank = Time{0};
  spec.trefi = Time{0};
  CHECK(complaint(spec) == "");
}

TEST_CASE("HBM attributes: a contradiction stands where it was made, in an override before the file") {
  ComponentSpec model{.at = {.file = "t.yaml", .line = 3}};
  const auto place = [&] {
    try {
      check(HbmSpec{.tras = 40_ns}, model, "hbm0");
    } catch (const ConfigError& error) {
      return to_string(error.problems().front().at);
    }
    return std::string{};
  };
  CHECK(place() == "t.yaml:3");
  model.places["trc_ns"] = {.file = "t.yaml", .line = 7};
  CHECK(place() == "t.yaml:7");
  model.places["tras_ns"] = {.file = "--set tras_ns=40"};
  CHECK(place() == "--set tras_ns=40");
}

}  // namespace kbsim::hw::test::hbm_attributes_test
