#pragma once

#include <cstdint>
#include <vector>

#include "kbsim/hw/memory/hbm_spec.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"
#include "kbsim/hw/memory/memory_times.hpp"

namespace kbsim::hw {

/// Delays of an HBM slice's commands and data: attributes of its model, and data at its bandwidth.
enum class HbmDelay : std::uint8_t {
  controller,
  rcd_read,
  rcd_write,
  rp,
  ras,
  rc,
  ccd_s,
  ccd_l,
  ccd_r,
  rrd_s,
  rrd_l,
  faw,
  cl,
  cwl,
  rtp,
  wr,
  wtr_s,
  wtr_l,
  rtw,
  rfc,
  rfc_bank,
  rrefd,
  ppd,
  clock,          // n clocks of the command bus
  act,            // clocks of n activates
  pre,            // clocks of n precharges
  interval,       // n x tREFI
  interval_bank,  // n x tREFI / banks, for refreshes bank by bank
  burst,          // data, at the rate of a pseudo-channel
  packet,         // n bytes, at the rate of all pseudo-channels
};

/// Reason and amount of a delay. `n`: how often, or how many bytes.
[[nodiscard]] constexpr Delay why(HbmDelay delay, std::int64_t n = 1) {
  using enum HbmDelay;
  const auto reason = [delay] {
    switch (delay) {
      case controller:
      case clock:
      case act:
      case pre:
      case cl:
      case cwl: return Reason::column;
      case ccd_s:
      case ccd_l:
      case burst:
      case packet: return Reason::data_bus;
      case ccd_r:
      case wtr_s:
      case wtr_l:
      case rtw: return Reason::turnaround;
      case rfc:
      case rfc_bank:
      case rrefd:
      case interval:
      case interval_bank: return Reason::refresh;
      default: return Reason::bank;
    }
  };
  return {.reason = reason(), .amount = n << 8 | static_cast<std::int64_t>(delay)};
}

/// The wait for the end of a refresh that is under way or due: of all banks, of the bank, or of another one.
[[nodiscard]] constexpr Delay refresh_wait(HbmDelay refresh) {
  return {.reason = Reason::refresh_wait, .amount = why(refresh, 0).amount};
}

/// The terms of a Delay's amount.
[[nodiscard]] std::vector<DelayTerm> delay_terms(const HbmBanksSpec& spec, Bandwidth raw,
                                                 std::int64_t amount);

}  // namespace kbsim::hw
