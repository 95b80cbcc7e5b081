#include "kbsim/base/role.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>

#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"

namespace kbsim {
namespace {

constexpr std::array<std::pair<std::string_view, ColorMode>, 3> kModes{
    {{"auto", ColorMode::automatic}, {"always", ColorMode::always}, {"never", ColorMode::never}}};

std::atomic<bool> on_stdout = false;
std::atomic<bool> on_stderr = false;

fmt::text_style style_of(Role role) {
  using enum fmt::terminal_color;
  switch (role) {
    case Role::bad: return fmt::fg(red) | fmt::emphasis::bold;
    case Role::warning: return fmt::fg(yellow);
    case Role::good: return fmt::fg(green);
    case Role::head: return fmt::emphasis::bold;
    case Role::limit: return fmt::fg(magenta) | fmt::emphasis::bold;
    case Role::remedy: return fmt::fg(cyan) | fmt::emphasis::bold;
  }
  return {};
}

bool is_wanted() {
  const char* const refused = std::getenv("NO_COLOR");  // no-color.org
  const char* const terminal = std::getenv("TERM");
  return (refused == nullptr || *refused == '\0') &&
         (terminal == nullptr || terminal != std::string_view{"dumb"});
}

bool is_coloured(ColorMode mode, int descriptor) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  return is_wanted() && isatty(descriptor) != 0;
}

}  // namespace

ColorMode color_mode_of(std::string_view text) {
  const auto* const found = std::ranges::find(kModes, text, &std::pair<std::string_view, ColorMode>::first);
  if (found != kModes.end()) return found->second;
  throw UsageError{fmt::format("--color must be auto, always or never, got '{}'{}", text,
                               near_hint(std::string{text}, {"auto", "always", "never"}))};
}

void use_colors(ColorMode mode) {
  on_stdout = is_coloured(mode, STDOUT_FILENO);
  on_stderr = is_coloured(mode, STDERR_FILENO);
}

void use_no_colors_on_stdout() { on_stdout = false; }

std::string in_role(Role role, std::string_view text, std::FILE* stream) {
  if (!(stream == stderr ? on_stderr : on_stdout)) return std::string{text};
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) all += fmt::format(style_of(role), "{}", text.substr(0, end));
    if (end < text.size()) all += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string without_roles(std::string_view text) {
  constexpr std::string_view kBegin = "\033[";
  std::string plain;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find(kBegin), text.size());
    plain += text.substr(0, begin);
    const std::size_t end = begin < text.size() ? text.find('m', begin) : text.size();
    text.remove_prefix(std::min(end == std::string_view::npos ? end : end + 1, text.size()));
  }
  return plain;
}

}  // namespace kbsim
