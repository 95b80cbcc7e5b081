#include "label.hpp"

#include <algorithm>

#include "../cells.hpp"

namespace kbsim::inputs {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kSpaces = " \t";

bool is_among(char c, std::string_view some) { return some.find(c) != std::string_view::npos; }

// Removes leading characters that are in `some`; false if there are none.
bool take(std::string_view& text, std::string_view some) {
  const std::size_t n = std::min(text.find_first_not_of(some), text.size());
  text.remove_prefix(n);
  return n > 0;
}

}  // namespace

LineLabel::LineLabel(std::string_view like) : like_{trimmed(like)} {
  if (like_.find_first_not_of("0123456789 \t") == std::string::npos) like_.clear();
}

std::string_view LineLabel::without(std::string_view line) const {
  std::string_view rest = line;
  (void)take(rest, kSpaces);
  for (std::string_view like = like_; !like.empty();) {
    const std::string_view some = is_among(like.front(), kDigits)   ? kDigits
                                  : is_among(like.front(), kSpaces) ? kSpaces
                                                                    : like.substr(0, 1);
    if (some.size() > 1 ? !take(rest, some) : !rest.starts_with(some)) return line;
    if (some.size() > 1) {
      (void)take(like, some);
    } else {
      like.remove_prefix(1);
      rest.remove_prefix(1);
    }
  }
  return rest;
}

}  // namespace kbsim::inputs
