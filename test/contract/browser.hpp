#pragma once

#include <cstdint>
#include <string>

namespace kbsim::test {

/// Debian's chromium is installed, and this build's pages are read by it: sanitizers see nothing of a
/// browser, and the same pages are read in release. Otherwise a message says that the test is skipped.
[[nodiscard]] bool has_chromium();

/// The browser's time while a page is read: one that waits for nothing, or the real one, to measure by.
enum class PageClock : std::uint8_t { hurried, real };

/// What a page says when a reader's script has run behind its own, without a screen: the script's `told`.
/// What goes wrong on the page, and what it asks of anybody, is told before it: "ERROR ...", "REQUEST ...".
[[nodiscard]] std::string told_by(const std::string& page, const std::string& script,
                                  PageClock clock = PageClock::hurried);

}  // namespace kbsim::test
