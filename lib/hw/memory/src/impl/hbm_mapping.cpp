#include "kbsim/hw/memory/hbm_mapping.hpp"

#include <algorithm>
#include <limits>

namespace kbsim::hw {
namespace {

constexpr std::array<std::string_view, 6> kNames{"ro", "ba", "si", "co", "bg", "pc"};  // by Field

}  // namespace

bool HbmMapping::names_all_fields(std::string_view mapping) {
  if (mapping.size() != 2 * kNames.size() || !mapping.starts_with(kNames.front())) return false;
  return std::ranges::all_of(kNames, [&](std::string_view name) {
    for (std::size_t i = 0; i < mapping.size(); i += 2)
      if (mapping.substr(i, 2) == name) return true;
    return false;
  });
}

HbmMapping::HbmMapping(const HbmSpec& spec)
    : burst_{spec.burst.count()},
      counts_{std::numeric_limits<std::int64_t>::max(),
              spec.banks_per_group,
              spec.stack_ids,
              spec.row / spec.burst,
              spec.bank_groups,
              spec.pseudo_channels} {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::string_view name = std::string_view{spec.mapping}.substr(2 * (fields_.size() - 1 - i), 2);
    fields_[i] = static_cast<Field>(std::ranges::find(kNames, name) - kNames.begin());
  }
}

HbmPlace HbmMapping::place(std::int64_t address) const {
  Values values{};
  std::int64_t rest = address / burst_;
  for (const Field field : fields_) {
    const auto f = static_cast<std::size_t>(field);
    values[f] = rest % counts_[f];
    rest /= counts_[f];
  }
  const auto [row, bank, sid, column, group, channel] = values;
  return {.channel = channel, .sid = sid, .group = group, .bank = bank, .row = row};
}

std::int64_t HbmMapping::address(const HbmPlace& place, std::int64_t column) const {
  const Values values{place.row, place.bank, place.sid, column, place.group, place.channel};
  std::int64_t burst = values[static_cast<std::size_t>(Field::row)];
  for (std::size_t i = fields_.size() - 1; i-- > 0;) {
    const auto f = static_cast<std::size_t>(fields_[i]);
    burst = burst * counts_[f] + values[f];
  }
  return burst * burst_;
}

}  // namespace kbsim::hw
