#pragma once

#include <cstdint>
#include <string>

namespace kbsim::test {

/// True if Debian's chromium is installed and this build isn't sanitized: sanitizers see nothing of a
/// browser, and release reads the same pages. Otherwise a message says that the test is skipped.
[[nodiscard]] bool has_chromium();

/// The browser's time while a page is read: one that waits for nothing, or the real one, to measure by.
enum class PageClock : std::uint8_t { hurried, real };

/// The text `told` of a reader's script, run after the page's own scripts, without a screen. The names of the
/// page's window.kbsim are the script's. Errors on the
/// page and its network requests come before it: "ERROR ...", "REQUEST ...".
[[nodiscard]] std::string printed_by(const std::string& page, const std::string& script,
                                     PageClock clock = PageClock::hurried);

}  // namespace kbsim::test
