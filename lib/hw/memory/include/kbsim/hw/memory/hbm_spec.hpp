#pragma once

#include <cstdint>
#include <string>

#include "kbsim/base/field.hpp"

namespace kbsim::hw {

/// The organisation and the times of one HBM slice: names and meanings are JEDEC's (JESD238, JESD270-4).
/// The defaults are those of configs/hbm4.yaml, which says where each comes from.
struct HbmSpec {
  std::int64_t pseudo_channels = 8;
  std::int64_t stack_ids = 1;
  std::int64_t bank_groups = 4;
  std::int64_t banks_per_group = 4;
  Bytes row{1024};
  Bytes burst{32};
  std::string mapping = "robasicobgpc";
  Time controller = 2_ns;

  Time trcd{14'000};
  Time trcd_write{};  // 0: as trcd
  Time trp{14'000};
  Time tras{34'000};
  Time trc{48'000};
  Time tccd_s{1'000};
  Time tccd_l{2'000};
  Time tccd_r{};
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

  [[nodiscard]] Time rcd(bool write) const { return write && trcd_write > Time{0} ? trcd_write : trcd; }

  static void describe(FieldList<HbmSpec>& f);
};

enum class HbmRefresh : std::uint8_t { all_bank, per_bank };

enum class HbmWriteDrain : std::uint8_t { all_bank, per_bank };

/// Attributes for `scheduler: fr_fcfs`, a controller that orders commands: the queues of a channel, batches
/// of writes, its command bus, and its refreshes. `scheduler: in_order` uses none of them.
struct HbmControllerSpec {
  std::int64_t channel_pcs = 2;
  std::int64_t read_queue = 32;
  std::int64_t write_queue = 32;
  std::int64_t write_high = 26;
  std::int64_t write_low = 6;
  HbmWriteDrain write_drain = HbmWriteDrain::all_bank;
  Time max_age = 10_us;
  HbmRefresh refresh = HbmRefresh::all_bank;
  Time trfc_bank{};
  Time trrefd{};
  Time tppd{};
  Time tck{};
  double activate_nck = 1.0;
  double precharge_nck = 1.0;

  static void describe(FieldList<HbmControllerSpec>& f);
};

/// All attributes of `builtin.hbm_banks`.
struct HbmBanksSpec : HbmSpec, HbmControllerSpec {
  static void describe(FieldList<HbmBanksSpec>& f);
};

/// ConfigError naming every attribute of `owner`, from `model`, that contradicts another. Also for timings
/// whose refreshes leave no time for requests. The first checks a memory that serves in order of
/// arrival, the second one with a controller.
void check(const HbmSpec& spec, const ComponentSpec& model, const std::string& owner);
void check(const HbmBanksSpec& spec, const ComponentSpec& model, const std::string& owner);

}  // namespace kbsim::hw
