#include "kbsim/hw/memory/hbm_spec.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/hw/memory/hbm_mapping.hpp"

namespace kbsim::hw {
namespace {

class Findings {
 public:
  Findings(const ComponentSpec& model, const std::string& owner) : model_{model}, owner_{owner} {}

  /// `others` are the keys that this one contradicts.
  void expect(bool holds, const std::string& key, const std::vector<std::string>& others,
              const std::string& text) {
    if (holds) return;
    std::vector<std::string> keys{key};
    keys.insert(keys.end(), others.begin(), others.end());
    problems_.push_back({.at = model_.place_of(keys), .key = owner_ + "." + key, .text = text});
  }
  void expect_at_least(Time value, const std::string& key, Time least,
                       const std::vector<std::string>& others) {
    expect(value >= least, key, others,
           fmt::format("found {}, expected at least {}, which is {}", to_string(value),
                       fmt::join(others, " + "), to_string(least)));
  }
  void expect_more(Time value, const std::string& key, Time than, const std::vector<std::string>& others,
                   const std::string& what) {
    expect(
        value > than, key, others,
        fmt::format("found {}, expected more than {}, which is {}", to_string(value), what, to_string(than)));
  }
  void report() {
    if (!problems_.empty()) throw ConfigError{std::move(problems_)};
  }

 private:
  const ComponentSpec& model_;
  const std::string& owner_;
  std::vector<ConfigProblem> problems_;
};

void look_at_organisation(const HbmSpec& spec, Findings& findings) {
  findings.expect(spec.row % spec.burst == 0_B, "row_bytes", {"burst_bytes"},
                  fmt::format("found {}, expected a multiple of burst_bytes, which is {}",
                              to_string(spec.row), to_string(spec.burst)));
  findings.expect(
      HbmMapping::names_all_fields(spec.mapping), "mapping", {},
      fmt::format("found '{}', expected the fields ro, ba, si, co, bg and pc, each once, ro first",
                  spec.mapping));
}

void look_at_timings(const HbmSpec& spec, Findings& findings) {
  findings.expect_at_least(spec.tras, "tras_ns", spec.trcd, {"trcd_ns"});
  findings.expect_at_least(spec.trc, "trc_ns", spec.tras + spec.trp, {"tras_ns", "trp_ns"});
  findings.expect_at_least(spec.tccd_l, "tccd_l_ns", spec.tccd_s, {"tccd_s_ns"});
  findings.expect_at_least(spec.trrd_l, "trrd_l_ns", spec.trrd_s, {"trrd_s_ns"});
  findings.expect_at_least(spec.twtr_l, "twtr_l_ns", spec.twtr_s, {"twtr_s_ns"});
}

// Checks that between two refreshes there is time to open and read a row, with `commands` on the command bus.
void look_at_refresh(const HbmSpec& spec, Time commands, Findings& findings) {
  if (spec.trefi == Time{0}) return;
  const bool writes = spec.rcd(true) > spec.trcd;
  const std::string trcd = writes ? "trcd_write_ns" : "trcd_ns";
  std::vector<std::string> keys{"trp_ns", "trfc_ns", trcd};
  std::string sum = "trp_ns + trfc_ns + " + trcd;
  if (commands > Time{0}) {
    keys.insert(keys.end(), {"tck_ns", "activate_nck", "precharge_nck", "channel_pcs"});
    sum += " + commands of some tck_ns";
  }
  findings.expect_more(spec.trefi, "trefi_ns", spec.trp + spec.trfc + spec.rcd(writes) + commands, keys, sum);
}

// As above; also checks for time to open other banks between refreshes of one.
void look_at_refresh_by_bank(const HbmBanksSpec& spec, Time commands, Findings& findings) {
  if (spec.trefi == Time{0}) return;
  const std::int64_t banks = spec.stack_ids * spec.bank_groups * spec.banks_per_group;
  const bool writes = spec.rcd(true) > spec.trcd;
  const std::string trcd = writes ? "trcd_write_ns" : "trcd_ns";
  const std::string bus = commands > Time{0} ? " + commands of some tck_ns" : "";
  findings.expect(spec.trfc_bank > Time{0}, "trfc_bank_ns", {"refresh"},
                  "expected a duration with refresh: per_bank");
  findings.expect_more(spec.trefi, "trefi_ns", spec.trp + spec.trfc_bank + spec.rcd(writes) + commands,
                       {"trp_ns", "trfc_bank_ns", trcd, "tck_ns", "activate_nck", "precharge_nck"},
                       "trp_ns + trfc_bank_ns + " + trcd + bus);
  findings.expect_more(spec.trefi, "trefi_ns", banks * (spec.trp + spec.trrefd + commands),
                       {"trp_ns", "trrefd_ns", "tck_ns", "activate_nck", "precharge_nck", "stack_ids",
                        "bank_groups", "banks_per_group"},
                       fmt::format("{} banks x (trp_ns + trrefd_ns{})", banks, bus));
}

// An activate and a precharge of each pseudo-channel on the bus that they share, each on a clock edge.
Time commands_of(const HbmBanksSpec& spec) {
  const auto clocks = static_cast<std::int64_t>(std::ceil(spec.activate_nck) + std::ceil(spec.precharge_nck));
  return (spec.channel_pcs * clocks + 2) * spec.tck;
}

void look_at_controller(const HbmBanksSpec& spec, Findings& findings) {
  findings.expect(spec.pseudo_channels % spec.channel_pcs == 0, "channel_pcs", {"pseudo_channels"},
                  fmt::format("found {}, expected a divisor of pseudo_channels, which is {}",
                              spec.channel_pcs, spec.pseudo_channels));
  findings.expect(
      spec.write_high <= spec.write_queue, "write_high", {"write_queue"},
      fmt::format("found {}, expected at most write_queue, which is {}", spec.write_high, spec.write_queue));
  findings.expect(
      spec.write_low < spec.write_high, "write_low", {"write_high"},
      fmt::format("found {}, expected less than write_high, which is {}", spec.write_low, spec.write_high));
}

}  // namespace

void HbmSpec::describe(FieldList<HbmSpec>& f) {
  f.add("pseudo_channels", &HbmSpec::pseudo_channels, between(1, 1024),
        "pseudo-channels of the slice; each has raw bandwidth / pseudo_channels");
  f.add("stack_ids", &HbmSpec::stack_ids, between(1, 16),
        "stack IDs of a pseudo-channel: layers, each with bank groups of its own");
  f.add("bank_groups", &HbmSpec::bank_groups, between(1, 64), "bank groups of a stack ID");
  f.add("banks_per_group", &HbmSpec::banks_per_group, between(1, 64), "banks of a bank group");
  f.add("row_bytes", &HbmSpec::row, at_least(1), "page size: bytes of an open row of a pseudo-channel");
  f.add("burst_bytes", &HbmSpec::burst, at_least(1),
        "bytes of a burst: burst length x width; bursts alternate between pseudo-channels");
  f.add("mapping", &HbmSpec::mapping,
        "fields of an address, the highest bits first: ro(w), ba(nk), si (stack ID), co(lumn), bg (bank "
        "group), "
        "pc (pseudo-channel)");
  f.add("controller_ns", &HbmSpec::controller, kNotNegative,
        "pipelined latency of controller and PHY before the first command");
  f.add("trcd_ns", &HbmSpec::trcd, kNotNegative, "tRCD: activate to read or write");
  f.add("trcd_write_ns", &HbmSpec::trcd_write, kNotNegative, "tRCDWR: activate to write; 0: tRCD");
  f.add("trp_ns", &HbmSpec::trp, kNotNegative, "tRP: precharge to activate");
  f.add("tras_ns", &HbmSpec::tras, kNotNegative, "tRAS: activate to precharge");
  f.add("trc_ns", &HbmSpec::trc, kNotNegative, "tRC: activate to activate of one bank");
  f.add("tccd_s_ns", &HbmSpec::tccd_s, kNotNegative, "tCCD_S: column command to column command");
  f.add("tccd_l_ns", &HbmSpec::tccd_l, kNotNegative, "tCCD_L: the same within a bank group");
  f.add("tccd_r_ns", &HbmSpec::tccd_r, kNotNegative,
        "tCCD_R: the same between stack IDs; less than tCCD_S: none");
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

void HbmControllerSpec::describe(FieldList<HbmControllerSpec>& f) {
  using Spec = HbmControllerSpec;
  f.add("channel_pcs", &Spec::channel_pcs, between(1, 64),
        "fr_fcfs: pseudo-channels that share a controller, its queues and command bus");
  f.add("read_queue", &Spec::read_queue, between(1, 4096), "fr_fcfs: bursts that its read queue holds");
  f.add("write_queue", &Spec::write_queue, between(1, 4096), "fr_fcfs: bursts that its write queue holds");
  f.add("write_high", &Spec::write_high, between(1, 4096),
        "fr_fcfs: from this many writes in the queue on they are served before reads");
  f.add("write_low", &Spec::write_low, between(0, 4096),
        "fr_fcfs: down to this many; then reads, if any wait");
  f.choice("write_drain", &Spec::write_drain, {"all_bank", "per_bank"},
           "fr_fcfs: a batch of writes has all banks to itself, or each bank serves it beside its reads");
  f.add("max_age_ns", &Spec::max_age, kPositive,
        "fr_fcfs: a burst that is longer than this in a queue goes before all others");
  f.choice("refresh", &Spec::refresh, {"all_bank", "per_bank"},
           "fr_fcfs: all banks each tREFI, or one bank each tREFI / banks");
  f.add("trfc_bank_ns", &Spec::trfc_bank, kNotNegative, "fr_fcfs: tRFCpb: duration of the refresh of a bank");
  f.add("trrefd_ns", &Spec::trrefd, kNotNegative,
        "fr_fcfs: tRREFD: refresh of a bank to refresh or activate of another");
  f.add("tppd_ns", &Spec::tppd, kNotNegative, "fr_fcfs: tPPD: precharge to precharge");
  f.add("tck_ns", &Spec::tck, kNotNegative,
        "fr_fcfs: clock of the command bus; 0: commands take no time on it, and begin at any");
  f.add("activate_nck", &Spec::activate_nck, between(0.5, 8.0), "fr_fcfs: clocks that an activate takes");
  f.add("precharge_nck", &Spec::precharge_nck, between(0.5, 8.0), "fr_fcfs: clocks that a precharge takes");
}

void HbmBanksSpec::describe(FieldList<HbmBanksSpec>& f) {
  f.base<HbmSpec>();
  f.base<HbmControllerSpec>();
}

void check(const HbmSpec& spec, const ComponentSpec& model, const std::string& owner) {
  Findings findings{model, owner};
  look_at_organisation(spec, findings);
  look_at_timings(spec, findings);
  look_at_refresh(spec, Time{0}, findings);
  findings.report();
}

void check(const HbmBanksSpec& spec, const ComponentSpec& model, const std::string& owner) {
  Findings findings{model, owner};
  look_at_organisation(spec, findings);
  look_at_timings(spec, findings);
  look_at_controller(spec, findings);
  if (spec.refresh == HbmRefresh::all_bank)
    look_at_refresh(spec, commands_of(spec), findings);
  else
    look_at_refresh_by_bank(spec, commands_of(spec), findings);
  findings.report();
}

}  // namespace kbsim::hw
