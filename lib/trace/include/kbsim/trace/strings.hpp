#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kbsim::trace {

/// The number of a text of a trace; 0 is "".
using StringId = std::uint32_t;

/// The texts of a trace, each once, numbered in order of first use.
class Strings {
 public:
  Strings() { (void)id(""); }
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  StringId id(std::string_view text);
  [[nodiscard]] const std::string& operator[](StringId id) const { return all_[id]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }

 private:
  std::deque<std::string> all_;  // addresses stay
  std::unordered_map<std::string_view, StringId> ids_;
};

}  // namespace kbsim::trace
