#include "kbsim/hw/pe/tcm_budget.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::hw {

std::optional<Time> TcmBudget::room(Bytes n, Time t) {
  if (held_ + n > size_) return std::nullopt;
  while (!ends_.empty() && (ends_.top().at <= t || held_ + ending_ + n > size_)) {
    if (ends_.top().at > t) why_ = ends_.top().why;
    t = std::max(t, ends_.top().at);
    ending_ -= ends_.top().bytes;
    ends_.pop();
  }
  return t;
}

void TcmBudget::take(Hold& hold) {
  hold.index = holds_.size();
  holds_.push_back(&hold);
  held_ += hold.bytes;
}

void TcmBudget::give(const Hold& hold, Time now, Time when, const Cause& why) {
  const std::size_t index = hold.index;
  holds_[index] = holds_.back();
  holds_[index]->index = index;
  holds_.pop_back();
  held_ -= hold.bytes;
  if (when <= now) return;
  ends_.push({.at = when, .bytes = hold.bytes, .why = why});
  ending_ += hold.bytes;
}

std::string TcmBudget::holders() const {
  struct Line {
    Bytes bytes;
    int tiles = 0;
  };
  std::map<std::string, Line> lines;
  for (const Hold* hold : holds_) {
    Line& line = lines[to_string(to_place(hold->at))];
    line.bytes += hold->bytes;
    ++line.tiles;
  }
  std::vector<std::pair<std::string, Line>> largest{lines.begin(), lines.end()};
  std::ranges::sort(largest, [](const auto& a, const auto& b) {
    return std::pair{b.second.bytes, a.first} < std::pair{a.second.bytes, b.first};
  });
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, largest.size()); ++i) {
    const auto& [place, line] = largest[i];
    text += fmt::format("{}{} in {} tile{} of {}", i > 0 ? ", " : "", to_string(line.bytes), line.tiles,
                        line.tiles == 1 ? "" : "s", place);
  }
  if (largest.size() > kShown)
    text += fmt::format(", and {}", counted(largest.size() - kShown, "other line"));
  return text;
}

}  // namespace kbsim::hw
