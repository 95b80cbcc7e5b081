#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace kbsim {

/// The part that a text plays for its reader. A terminal shows each in its own way: bad red and bold, warning
/// yellow, good green, head bold, limit and remedy bold in a colour.
enum class Role { bad, warning, good, head, limit, remedy };

/// Whether texts are coloured: if the stream is a terminal and its user wants colours, in any case, or never.
enum class ColorMode { automatic, always, never };
/// "auto", "always" or "never"; UsageError with the name of the option otherwise.
[[nodiscard]] ColorMode color_mode_of(std::string_view text);

/// Chooses for stdout and stderr. Called once, before any text; without it no text has colours. Automatic:
/// a stream has them if it is a terminal, NO_COLOR is unset or empty, and TERM isn't "dumb".
void use_colors(ColorMode mode);
/// From now on stdout has none: it gets JSON or another format for programs.
void use_no_colors_on_stdout();

/// The text in its role, for this stream; without colours the text itself. Line ends stay outside of escape
/// sequences. For texts that are printed at once: never for one that goes to a file, too.
[[nodiscard]] std::string in_role(Role role, std::string_view text, std::FILE* stream = stdout);

/// The text without what in_role() added to it for stdout, for another stream.
[[nodiscard]] std::string without_roles(std::string_view text);

}  // namespace kbsim
