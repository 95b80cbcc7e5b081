#pragma once

#include <string>

namespace kbsim::report {

/// `text` with every `word` in it replaced.
[[nodiscard]] inline std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

}  // namespace kbsim::report
