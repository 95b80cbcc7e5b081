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
  std::string content = read_input(file, file.string(), most);
  if (is_utf16(content)) throw UsageError{file.string() + ": this is UTF-16, expected UTF-8"};
  return {file.string(), std::move(content)};
}

bool is_utf16(std::string_view text) { return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"); }

Place Text::place(std::size_t offset) const {
  const std::size_t at = std::min(offset, content_.size());
  const auto after = std::ranges::upper_bound(lines_, at);
  const std::size_t begin = *std::prev(after);
  return {.file = name_,
          .line = static_cast<int>(after - lines_.begin()),
          .column = static_cast<int>(at - begin) + 1};
}

}  // namespace kbsim::inputs
