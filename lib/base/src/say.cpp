#include "kbsim/base/say.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <unistd.h>

namespace kbsim {
namespace {

// While it lives, writing to a pipe without a reader is an error of this thread's write, and no signal.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    (void)sigemptyset(&pipe_);
    (void)sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    (void)sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    constexpr timespec kNow{};
    if (!was_pending_) (void)sigtimedwait(&pipe_, nullptr, &kNow);
    (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

constexpr std::string_view kErase = "\r\033[K";  // the terminal's line
std::atomic<bool> has_line = false;              // of a text in place, which may have been erased since

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0 || errno != EINTR)
      break;
  }
}

// In one write, so that no other text comes between.
void erase_and_write(std::string_view text) {
  std::array<char, 1024> both{};
  char* const behind = std::ranges::copy(kErase, both.begin()).out;
  const std::size_t room = std::min(text.size(), both.size() - kErase.size());
  char* const end = std::ranges::copy(text.substr(0, room), behind).out;
  write_all({both.begin(), end});
  write_all(text.substr(room));
}

void write_to_stderr(bool erase, std::string_view text) {
  const int errno_before = errno;
  const NoPipeSignal guard;
  if (erase)
    erase_and_write(text);
  else
    write_all(text);
  errno = errno_before;
}

}  // namespace

void say(std::string_view text) noexcept { write_to_stderr(has_line, text); }

void say_in_place(std::string_view text) noexcept {
  if (!has_line.exchange(!text.empty()) && text.empty()) return;
  write_to_stderr(true, text);
}

std::string harmless(std::string text) {
  constexpr char kDelete = '\x7f';
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == kDelete; }, '?');
  return text;
}

void say_to(std::FILE* stream, std::string_view text) {
  if (stream == stderr) return say(text);
  const NoPipeSignal guard;
  (void)std::fwrite(text.data(), 1, text.size(), stream);
  (void)std::fflush(stream);
}

}  // namespace kbsim
