#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/error.hpp"

namespace kbsim::inputs {

/// A mistake in an input file: "plan.xml:12:7: there is no step type 'rrx'".
class InputError : public Error {
 public:
  InputError(const Place& at, const std::string& text)
      : Error{ExitCode::usage, to_string(at) + ": " + text} {}
};

/// Recognized by its byte order mark.
[[nodiscard]] bool is_utf16(std::string_view text);

/// The text of an input file without its byte order mark, and the places of its bytes: lines and columns (in
/// bytes) count from 1.
class Text {
 public:
  Text(std::string name, std::string content);
  /// A file, a pipe or a device. UsageError if it can't be read, has more than `most` bytes or is UTF-16.
  [[nodiscard]] static Text read(const std::filesystem::path& file, std::size_t most = std::size_t{1} << 30);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view content() const { return content_; }
  [[nodiscard]] Place place(std::size_t offset) const;
  /// The error's place; an offset beyond the end means the end.
  [[nodiscard]] InputError error(std::size_t offset, const std::string& text) const {
    return {place(offset), text};
  }

 private:
  std::string name_;
  std::string content_;
  std::vector<std::size_t> lines_;  // where each begins
};

}  // namespace kbsim::inputs
