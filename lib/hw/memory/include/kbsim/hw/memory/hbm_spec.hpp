#pragma once

#include <cstdint>
#include <string>

#include "kbsim/base/field.hpp"

namespace kbsim::hw {

/// The organisation and the times of one HBM slice: names and meanings are JEDEC's (JESD238, JESD270-4).
/// The defaults are those of configs/hbm4.yaml, which says where each comes from.
struct HbmSpec {
  std::int64_t pseudo_channels = 8;
  std::int64_t bank_groups = 4;
  std::int64_t banks_per_group = 4;
  Bytes row{1024};
  Bytes burst{32};
  Time controller = 2_ns;

  Time trcd{14'000};
  Time trp{14'000};
  Time tras{34'000};
  Time trc{48'000};
  Time tccd_s{1'000};
  Time tccd_l{2'000};
  Time trrd_s{1'000};
  Time trrd_l{2'000};
  Time tfaw{30'000};
  Time tcl{14'000};
  Time tcwl{4'000};
  Time trtp{6'000};
  Time twr{16'000};
  Time twtr_s{6'000};
  Time twtr_l{8'000};
  Time trtw{12'000};
  Time trefi{3'900'000};
  Time trfc{350'000};

  static void describe(FieldList<HbmSpec>& f);
};

/// Throws ConfigError naming every attribute of `owner` that contradicts another.
void check(const HbmSpec& spec, const Place& at, const std::string& owner);

}  // namespace kbsim::hw
