#include "kbsim/hw/memory/hbm_spec.hpp"

#include <fmt/format.h>

namespace kbsim::hw {
namespace {

class Findings {
 public:
  Findings(const Place& at, const std::string& owner) : at_{at}, owner_{owner} {}

  void expect(bool holds, const std::string& key, const std::string& text) {
    if (!holds) problems_.push_back({.at = at_, .key = owner_ + "." + key, .text = text});
  }
  void expect_at_least(Time value, const std::string& key, Time least, const std::string& what) {
    expect(
        value >= least, key,
        fmt::format("found {}, expected at least {}, which is {}", to_string(value), what, to_string(least)));
  }
  void report() {
    if (!problems_.empty()) throw ConfigError{std::move(problems_)};
  }

 private:
  const Place& at_;
  const std::string& owner_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

void HbmSpec::describe(FieldList<HbmSpec>& f) {
  f.add("pseudo_channels", &HbmSpec::pseudo_channels, between(1, 1024),
        "pseudo-channels of the slice; each has raw bandwidth / pseudo_channels");
  f.add("bank_groups", &HbmSpec::bank_groups, between(1, 64), "bank groups of a pseudo-channel");
  f.add("banks_per_group", &HbmSpec::banks_per_group, between(1, 64), "banks of a bank group");
  f.add("row_bytes", &HbmSpec::row, at_least(1), "page size: bytes of an open row of a pseudo-channel");
  f.add("burst_bytes", &HbmSpec::burst, at_least(1),
        "bytes of a burst: burst length x width; bursts alternate between pseudo-channels");
  f.add("controller_ns", &HbmSpec::controller, kNotNegative,
        "pipelined latency of controller and PHY before the first command");
  f.add("trcd_ns", &HbmSpec::trcd, kNotNegative, "tRCD: activate to read or write");
  f.add("trp_ns", &HbmSpec::trp, kNotNegative, "tRP: precharge to activate");
  f.add("tras_ns", &HbmSpec::tras, kNotNegative, "tRAS: activate to precharge");
  f.add("trc_ns", &HbmSpec::trc, kNotNegative, "tRC: activate to activate of one bank");
  f.add("tccd_s_ns", &HbmSpec::tccd_s, kNotNegative, "tCCD_S: column command to column command");
  f.add("tccd_l_ns", &HbmSpec::tccd_l, kNotNegative, "tCCD_L: the same within a bank group");
  f.add("trrd_s_ns", &HbmSpec::trrd_s, kNotNegative, "tRRD_S: activate to activate of another bank");
  f.add("trrd_l_ns", &HbmSpec::trrd_l, kNotNegative, "tRRD_L: the same within a bank group");
  f.add("tfaw_ns", &HbmSpec::tfaw, kNotNegative, "tFAW: window that holds at most four activates");
  f.add("tcl_ns", &HbmSpec::tcl, kNotNegative, "tCL (RL): read command to its data");
  f.add("tcwl_ns", &HbmSpec::tcwl, kNotNegative, "tCWL (WL): write command to its data");
  f.add("trtp_ns", &HbmSpec::trtp, kNotNegative, "tRTP: read command to precharge");
  f.add("twr_ns", &HbmSpec::twr, kNotNegative, "tWR: end of write data to precharge");
  f.add("twtr_s_ns", &HbmSpec::twtr_s, kNotNegative, "tWTR_S: end of write data to read command");
  f.add("twtr_l_ns", &HbmSpec::twtr_l, kNotNegative, "tWTR_L: the same within a bank group");
  f.add("trtw_ns", &HbmSpec::trtw, kNotNegative, "tRTW: read command to write command");
  f.add("trefi_ns", &HbmSpec::trefi, kNotNegative, "tREFI: time between refreshes; 0: none");
  f.add("trfc_ns", &HbmSpec::trfc, kNotNegative, "tRFC: duration of an all-bank refresh");
}

void check(const HbmSpec& spec, const Place& at, const std::string& owner) {
  Findings findings{at, owner};
  findings.expect(spec.row % spec.burst == 0_B, "row_bytes",
                  fmt::format("found {}, expected a multiple of burst_bytes, which is {}",
                              to_string(spec.row), to_string(spec.burst)));
  findings.expect_at_least(spec.tras, "tras_ns", spec.trcd, "trcd_ns");
  findings.expect_at_least(spec.trc, "trc_ns", spec.tras + spec.trp, "tras_ns + trp_ns");
  findings.expect_at_least(spec.tccd_l, "tccd_l_ns", spec.tccd_s, "tccd_s_ns");
  findings.expect_at_least(spec.trrd_l, "trrd_l_ns", spec.trrd_s, "trrd_s_ns");
  findings.expect_at_least(spec.twtr_l, "twtr_l_ns", spec.twtr_s, "twtr_s_ns");
  const Time refresh = spec.trp + spec.trfc + spec.trcd;
  findings.expect(spec.trefi == Time{0} || spec.trefi > refresh, "trefi_ns",
                  fmt::format("found {}, expected more than trp_ns + trfc_ns + trcd_ns, which is {}",
                              to_string(spec.trefi), to_string(refresh)));
  findings.report();
}

}  // namespace kbsim::hw
