#include "kbsim/base/error.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace kbsim {
namespace {

std::string joined(const std::vector<ConfigProblem>& problems) {
  std::string text;
  for (const ConfigProblem& p : problems) {
    if (!text.empty()) text += '\n';
    if (!p.at.file.empty()) text += to_string(p.at) + ": ";
    if (!p.key.empty()) text += p.key + ": ";
    text += p.text;
  }
  return text;
}

}  // namespace

std::string to_string(const Place& place) {
  if (place.line == 0) return place.file;
  if (place.column == 0) return fmt::format("{}:{}", place.file, place.line);
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

Place to_place(const std::source_location& at) {
  return {.file = std::filesystem::path{at.file_name()}.filename().string(),
          .line = static_cast<int>(at.line())};
}

ConfigError::ConfigError(std::vector<ConfigProblem> problems)
    : Error{ExitCode::usage, joined(problems)}, problems_{std::move(problems)} {}

ConfigError::ConfigError(Place at, std::string key, std::string text)
    : ConfigError{std::vector<ConfigProblem>{{std::move(at), std::move(key), std::move(text)}}} {}

void throw_internal(std::string_view what, const std::source_location& at) {
  throw InternalError{fmt::format("{}:{}: {}", at.file_name(), at.line(), what)};
}

}  // namespace kbsim
