#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kbsim {

/// Writes a text to stderr as far as that takes it: a full disk, a closed stream or a reader that has gone
/// away is neither an error nor a SIGPIPE. Fit for a signal handler.
void say(std::string_view text) noexcept;

/// Keeps a text, without a line end, in the terminal's last line on stderr: whatever is said next erases it
/// first, and so does the next text in place. An empty one only erases. Fit for a signal handler.
void say_in_place(std::string_view text) noexcept;

/// say() to a stream, which is flushed.
void say_to(std::FILE* stream, std::string_view text);

/// A text that has words of somebody else's file, with '?' for control characters, which a terminal obeys.
/// Line ends and tabs stay.
[[nodiscard]] std::string harmless(std::string text);

/// say() of a text with arguments: say("{} left out\n", name).
template <class First, class... Args>
void say(fmt::format_string<First, Args...> text, First&& first, Args&&... args) {
  say(std::string_view{fmt::format(text, std::forward<First>(first), std::forward<Args>(args)...)});
}

}  // namespace kbsim
