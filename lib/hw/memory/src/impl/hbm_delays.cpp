#include "kbsim/hw/memory/hbm_delays.hpp"

#include <cmath>

namespace kbsim::hw {
namespace {

struct Row {
  std::string_view key;
  Time HbmBanksSpec::* value;
};

// In the order of HbmDelay; later enumerators aren't times of a single attribute.
constexpr Row kRows[] = {
    {"controller_ns", &HbmBanksSpec::controller},
    {"trcd_ns", &HbmBanksSpec::trcd},
    {"trcd_write_ns", &HbmBanksSpec::trcd_write},
    {"trp_ns", &HbmBanksSpec::trp},
    {"tras_ns", &HbmBanksSpec::tras},
    {"trc_ns", &HbmBanksSpec::trc},
    {"tccd_s_ns", &HbmBanksSpec::tccd_s},
    {"tccd_l_ns", &HbmBanksSpec::tccd_l},
    {"tccd_r_ns", &HbmBanksSpec::tccd_r},
    {"trrd_s_ns", &HbmBanksSpec::trrd_s},
    {"trrd_l_ns", &HbmBanksSpec::trrd_l},
    {"tfaw_ns", &HbmBanksSpec::tfaw},
    {"tcl_ns", &HbmBanksSpec::tcl},
    {"tcwl_ns", &HbmBanksSpec::tcwl},
    {"trtp_ns", &HbmBanksSpec::trtp},
    {"twr_ns", &HbmBanksSpec::twr},
    {"twtr_s_ns", &HbmBanksSpec::twtr_s},
    {"twtr_l_ns", &HbmBanksSpec::twtr_l},
    {"trtw_ns", &HbmBanksSpec::trtw},
    {"trfc_ns", &HbmBanksSpec::trfc},
    {"trfc_bank_ns", &HbmBanksSpec::trfc_bank},
    {"trrefd_ns", &HbmBanksSpec::trrefd},
    {"tppd_ns", &HbmBanksSpec::tppd},
};

DelayTerm latency(const Row& row, const HbmBanksSpec& spec) {
  const Time value = spec.*row.value;
  return {.key = row.key, .value = to_ns(value), .time = value};
}

// `clocks` clocks, n times.
DelayTerm clocks(const HbmBanksSpec& spec, double clocks, std::int64_t n) {
  const Time each{std::llround(clocks * static_cast<double>(spec.tck.count()))};
  return {.key = "tck_ns", .value = to_ns(spec.tck), .time = times(n, each), .times = n, .share = clocks};
}

DelayTerm data(Bandwidth raw, Bytes bytes, std::int64_t channels) {
  const Bandwidth rate = Bandwidth::gbs(raw.gbs() / static_cast<double>(channels));
  return {.key = "",
          .unit = "GB/s",
          .value = raw.gbs(),
          .time = rate.serialization(bytes),
          .bytes = bytes,
          .share = 1.0 / static_cast<double>(channels)};
}

}  // namespace

// A wait for a refresh (n = 0) consists of two terms: the refresh and tRP.
std::vector<DelayTerm> delay_terms(const HbmBanksSpec& spec, Bandwidth raw, std::int64_t amount) {
  const auto delay = static_cast<HbmDelay>(amount & 0xff);
  const std::int64_t n = amount >> 8;
  const auto row = [](HbmDelay of) { return kRows[static_cast<std::size_t>(of)]; };
  switch (delay) {
    case HbmDelay::rcd_write:
      if (spec.trcd_write == Time{0}) return {latency(row(HbmDelay::rcd_read), spec)};
      break;
    case HbmDelay::rfc:
    case HbmDelay::rfc_bank:
    case HbmDelay::rrefd:
      if (n == 0) return {latency(row(delay), spec), latency(row(HbmDelay::rp), spec)};
      break;
    case HbmDelay::clock: return {clocks(spec, 1.0, n)};
    case HbmDelay::act: return {clocks(spec, spec.activate_nck, n)};
    case HbmDelay::pre: return {clocks(spec, spec.precharge_nck, n)};
    case HbmDelay::interval_bank: {
      const std::int64_t banks = spec.stack_ids * spec.bank_groups * spec.banks_per_group;
      return {{.key = "trefi_ns",
               .value = to_ns(spec.trefi),
               .time = times(n, spec.trefi / banks),
               .times = n,
               .share = 1.0 / static_cast<double>(banks),
               .rounded_down = true}};
    }
    case HbmDelay::interval:
      return {{.key = "trefi_ns", .value = to_ns(spec.trefi), .time = times(n, spec.trefi), .times = n}};
    case HbmDelay::burst: return {data(raw, spec.burst, spec.pseudo_channels)};
    case HbmDelay::packet: return {data(raw, Bytes{n}, 1)};
    default: break;
  }
  return {latency(row(delay), spec)};
}

}  // namespace kbsim::hw
