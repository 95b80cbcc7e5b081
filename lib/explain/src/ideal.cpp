#include "kbsim/explain/ideal.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kbsim::explain {
namespace {

enum class Better { zero, more, one };

// A key belongs to the first rule whose beginning and end match.
struct Rule {
  std::string_view ideal;
  std::string_view begin;
  std::string_view end;
  Better better = Better::zero;
};

constexpr std::array<Rule, 30> kRules{{
    {"infinite links", "system.", "link.bw_gbs", Better::more},
    {"infinite links", "sip.", "link.bw_gbs", Better::more},
    {"infinite links", "system.sips.links.", ".bw_gbs", Better::more},
    {"infinite links", "system.sips.", ".latency_ns"},
    {"infinite links", "system.sips.", ".packet_ns"},
    {"infinite links", "system.sips.", ".receive_ns"},
    {"infinite links", "sip.ucie_link.", ".receive_ns"},
    {"infinite links", "sip.ucie_link.", ".latency_ns"},
    {"infinite links", "sip.ucie_link.", ".packet_ns"},
    {"infinite links", "cube.noc.", "link_bw_gbs", Better::more},
    {"infinite links", "parts.", "link_bw_gbs", Better::more},
    {"infinite links", "pe.", "link_bw_gbs", Better::more},
    {"infinite links", "system.ns_per_mm", ""},
    {"zero overheads", "", ".overhead_ns"},
    {"zero overheads", "pe.pe_cpu.", "dispatch_cycles"},
    {"infinite memories", "cube.xbar_to_hbm_bw_gbs", "", Better::more},
    {"infinite memories", "cube.floorplan.hbm.bw_gbs", "", Better::more},
    {"infinite memories", "cube.hbm_ctrl.", "efficiency", Better::one},
    {"infinite memories", "cube.", "access_ns"},
    {"infinite memories", "pe.", "access_ns"},
    {"infinite memories", "cube.sram.", "bw_gbs", Better::more},
    {"infinite memories", "pe.pe_tcm.", "bw_gbs", Better::more},
    {"infinite engines", "pe.pe_gemm.", "macs_per_ns", Better::more},
    {"infinite engines", "pe.pe_gemm.", "freq_ghz", Better::more},
    {"infinite engines", "pe.pe_math.", "lanes", Better::more},
    {"infinite engines", "pe.pe_math.", "freq_ghz", Better::more},
    {"infinite engines", "pe.pe_math.", "startup_ns"},
    {"infinite engines", "pe.pe_scheduler.", "fetch_bw_gbs", Better::more},
    {"infinite engines", "pe.pe_scheduler.", "fetch_ns"},
    {"infinite requests in flight", "pe.pe_dma.", "max_outstanding", Better::more},
}};
constexpr std::array<std::string_view, 6> kIdeals{"infinite links",    "zero overheads",
                                                  "infinite memories", "infinite engines",
                                                  "infinite slots",    "infinite requests in flight"};

std::vector<std::string> values_of(Better better) {
  switch (better) {
    case Better::zero: return {"0", "1"};
    case Better::one: return {"1"};
    case Better::more: break;
  }
  return {"1000000", "65536", "16384", "4096", "1024", "256", "100"};
}

const Rule* rule_of(std::string_view key) {
  const auto* rule = std::ranges::find_if(
      kRules, [&](const Rule& each) { return key.starts_with(each.begin) && key.ends_with(each.end); });
  return rule == kRules.end() ? nullptr : rule;
}

}  // namespace

std::vector<Ideal> ideals_of(const std::map<std::string, std::string>& keys, const std::string& slots_key) {
  std::vector<Ideal> all;
  for (const std::string_view name : kIdeals) all.push_back({.name = std::string{name}, .keys = {}});
  const auto ideal_named = [&](std::string_view name) -> Ideal& {
    return *std::ranges::find(all, name, &Ideal::name);
  };
  for (const auto& [key, value] : keys) {
    if (const Rule* rule = rule_of(key); rule != nullptr)
      ideal_named(rule->ideal).keys.push_back({.key = key, .values = values_of(rule->better)});
  }
  if (!slots_key.empty())
    ideal_named("infinite slots")
        .keys.push_back({.key = slots_key, .values = {"65536", "16384", "4096", "1024", "256", "64", "16"}});
  std::erase_if(all, [](const Ideal& ideal) { return ideal.keys.empty(); });
  return all;
}

}  // namespace kbsim::explain
