#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kbsim {

/// Writes a text to stderr as far as possible: a full disk, a closed stream or a reader that has gone away is
/// neither an error nor a SIGPIPE. Fit for a signal handler.
void say(std::string_view text) noexcept;

/// Keeps a text, without a line end, in the terminal's last line on stderr. The next text, in place or not,
/// erases it first. An empty one only erases. Fit for a signal handler.
void say_in_place(std::string_view text) noexcept;

/// say() to a stream, which is flushed.
void say_to(std::FILE* stream, std::string_view text);

/// The text with '?' for control characters, which a terminal obeys: for words of a file that may be foreign.
/// Line ends and tabs stay.
[[nodiscard]] std::string harmless(std::string text);

/// say() of a text with arguments: say("{} left out\n", name).
template <class First, class... Args>
void say(fmt::format_string<First, Args...> text, First&& first, Args&&... args) {
  say(std::string_view{fmt::format(text, std::forward<First>(first), std::forward<Args>(args)...)});
}

}  // namespace kbsim
