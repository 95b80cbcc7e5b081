#include "kbsim/inputs/text.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/base/input_file.hpp"

namespace kbsim::inputs {

Text::Text(std::string name, std::string content)
    : name_{std::move(name)}, content_{without_byte_order_mark(std::move(content))}, lines_{0} {
  for (std::size_t at = content_.find('\n'); at != std::string::npos; at = content_.find('\n', at + 1)) {
    lines_.push_back(at + 1);
  }
}

Text Text::read(const std::filesystem::path& file, std::size_t most) {
  return {file.string(), read_input(file, file.string(), most)};
}

Place Text::place(std::size_t offset) const {
  const std::size_t at = std::min(offset, content_.size());
  const auto after = std::ranges::upper_bound(lines_, at);
  const std::size_t begin = *std::prev(after);
  return {.file = name_,
          .line = static_cast<int>(after - lines_.begin()),
          .column = static_cast<int>(at - begin) + 1};
}

}  // namespace kbsim::inputs
