#include "point_reply.hpp"

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "sweep_words.hpp"

namespace kbsim::sweep {

std::optional<PointReply> reply_in(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 7) return std::nullopt;
  const auto number = [&](std::size_t i) { return std::strtod(std::string{words[i]}.c_str(), nullptr); };
  return PointReply{.exit = static_cast<int>(number(1)),
                    .events = static_cast<std::uint64_t>(number(2)),
                    .simulating = number(3),
                    .busy = number(4),
                    .is_short = words[5] == "1",
                    .digest = std::string{words[6]}};
}

}  // namespace kbsim::sweep
