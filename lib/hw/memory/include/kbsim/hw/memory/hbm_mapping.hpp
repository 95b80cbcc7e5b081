#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kbsim/hw/memory/hbm_spec.hpp"

namespace kbsim::hw {

/// Where a burst is.
struct HbmPlace {
  std::int64_t channel = 0;  // the pseudo-channel
  std::int64_t sid = 0;
  std::int64_t group = 0;  // of the stack ID
  std::int64_t bank = 0;   // of the group
  std::int64_t row = 0;
  friend bool operator==(const HbmPlace&, const HbmPlace&) = default;
};

/// Maps addresses to banks and back, by HbmSpec::mapping. The default, from the lowest bits up: byte of the
/// burst, pseudo-channel, bank group, column, stack ID, bank, row. So a stream uses all pseudo-channels, and
/// alternates between bank groups in each.
class HbmMapping {
 public:
  explicit HbmMapping(const HbmSpec& spec);

  [[nodiscard]] static bool names_all_fields(std::string_view mapping);

  [[nodiscard]] HbmPlace place(std::int64_t address) const;
  /// The first byte of a burst of that row.
  [[nodiscard]] std::int64_t address(const HbmPlace& place, std::int64_t column) const;
  /// Whether consecutive bursts lie in consecutive pseudo-channels.
  [[nodiscard]] bool channel_lowest() const { return fields_.front() == Field::channel; }

 private:
  enum class Field : std::uint8_t { row, bank, sid, column, group, channel };
  using Values = std::array<std::int64_t, 6>;  // by Field

  std::int64_t burst_;
  std::array<Field, 6> fields_{};  // the lowest first
  Values counts_{};
};

}  // namespace kbsim::hw
